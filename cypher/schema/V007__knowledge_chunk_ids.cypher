// Every KnowledgeChunk is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT knowledge_chunk_id IF NOT EXISTS
FOR (n:KnowledgeChunk)
REQUIRE n.id IS UNIQUE
