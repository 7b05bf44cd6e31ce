// What a source says, mentions, supports, and is included in, as each stage links it.
MATCH (s:Source {id: $source_id, user_id: $user_id})
MATCH (c:KnowledgeChunk {id: $statement_id, user_id: $user_id})
MATCH (n:Concept {id: $concept_id, user_id: $user_id})
MATCH (r:Relationship {id: $relationship_id, user_id: $user_id})
MATCH (t:Storyline {id: $storyline_id, user_id: $user_id})
MERGE (s)-[says:STATES {user_id: $user_id}]->(c)
MERGE (s)-[mentions:MENTIONS {user_id: $user_id}]->(n)
MERGE (s)-[supports:SUPPORTS {user_id: $user_id}]->(r)
MERGE (t)-[:INCLUDES {user_id: $user_id}]->(s)
SET says.confidence = 0.4,
  says.content = 'The cello is old.',
  mentions.confidence = 0.4,
  supports.confidence = 0.4
