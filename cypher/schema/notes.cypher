// Notes and relationships.
// mode: schema
// params: -
// returns: -

// Every Note is found by its id, and no two share one.
CREATE CONSTRAINT note_id IF NOT EXISTS
FOR (n:Note)
REQUIRE n.id IS UNIQUE;

// The notes of a user by source.
CREATE INDEX note_owners IF NOT EXISTS
FOR (n:Note)
ON (n.user_id, n.source_id);

// The sources of which a user's notes may be due.
CREATE INDEX extraction_unnoted IF NOT EXISTS
FOR (n:Extraction)
ON (n.unnoted);

// Every Relationship is found by its id, and no two share one.
CREATE CONSTRAINT relationship_id IF NOT EXISTS
FOR (n:Relationship)
REQUIRE n.id IS UNIQUE;

// The relationships of a user by type.
CREATE INDEX relationship_owners IF NOT EXISTS
FOR (n:Relationship)
ON (n.user_id, n.type);
