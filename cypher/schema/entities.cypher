// Who and what is spoken of, under which names, what was said, and what was extracted from which source.
// mode: schema
// params: -
// returns: -

// Every Person is found by its id, and no two share one.
CREATE CONSTRAINT person_id IF NOT EXISTS
FOR (n:Person)
REQUIRE n.id IS UNIQUE;

// The persons of an owner by name.
CREATE INDEX person_owners IF NOT EXISTS
FOR (n:Person)
ON (n.user_id, n.canonical_name);

// Every Concept is found by its id, and no two share one.
CREATE CONSTRAINT concept_id IF NOT EXISTS
FOR (n:Concept)
REQUIRE n.id IS UNIQUE;

// The concepts of an owner by name.
CREATE INDEX concept_owners IF NOT EXISTS
FOR (n:Concept)
ON (n.user_id, n.canonical_name);

// Every Entity is found by its id, and no two share one.
CREATE CONSTRAINT entity_id IF NOT EXISTS
FOR (n:Entity)
REQUIRE n.id IS UNIQUE;

// The entities of an owner by name.
CREATE INDEX entity_owners IF NOT EXISTS
FOR (n:Entity)
ON (n.user_id, n.canonical_name);

// Every KnowledgeChunk is found by its id, and no two share one.
CREATE CONSTRAINT knowledge_chunk_id IF NOT EXISTS
FOR (n:KnowledgeChunk)
REQUIRE n.id IS UNIQUE;

// The statements of an owner by what they are about.
CREATE INDEX chunk_content_types IF NOT EXISTS
FOR (n:KnowledgeChunk)
ON (n.user_id, n.content_type);

// Every Extraction is found by its id, and no two share one.
CREATE CONSTRAINT extraction_id IF NOT EXISTS
FOR (n:Extraction)
REQUIRE n.id IS UNIQUE;

// Whether a source was extracted for a member.
CREATE INDEX extraction_sources IF NOT EXISTS
FOR (n:Extraction)
ON (n.user_id, n.source_id);

// For whom a source was extracted.
CREATE INDEX extraction_readers IF NOT EXISTS
FOR (n:Extraction)
ON (n.source_id);

// The extractions that failed.
CREATE INDEX extraction_status IF NOT EXISTS
FOR (n:Extraction)
ON (n.user_id, n.status);

// A name of an owner's is stored once.
CREATE CONSTRAINT anchor_name_ids IF NOT EXISTS
FOR (n:AnchorName)
REQUIRE n.id IS UNIQUE;

// The names of an owner.
// With the id: an index by the owner alone would be read in place of the unique one, row by row.
CREATE INDEX anchor_name_owners IF NOT EXISTS
FOR (n:AnchorName)
ON (n.user_id, n.id);

// Whom a name means, asked by what keeps the name it came from.
CREATE INDEX anchor_name_names IF NOT EXISTS
FOR (n:AnchorName)
ON (n.name_id);

// Which names mean somebody, asked by who that is.
CREATE INDEX anchor_name_resolved IF NOT EXISTS
FOR (n:AnchorName)
ON (n.resolved_id);
