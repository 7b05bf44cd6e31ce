// What agents record, and when curation looks at it.
// mode: schema
// params: -
// returns: -

// The records of an owner by what they are.
CREATE INDEX record_kinds IF NOT EXISTS
FOR (n:Memory)
ON (n.record_kind, n.user_id);

// What agents have remembered, by its kind (a decision, a fix of an error).
CREATE INDEX record_memory_kinds IF NOT EXISTS
FOR (n:Memory)
ON (n.memory_kind, n.user_id);

// A record by its agent's own id, which other records refer to.
CREATE INDEX record_own_ids IF NOT EXISTS
FOR (n:Memory)
ON (n.record_id, n.user_id);

// The records of an owner that refer to what has not come in.
CREATE INDEX record_unlinked IF NOT EXISTS
FOR (n:Memory)
ON (n.unlinked);

// The sources of an owner that agents' records are.
CREATE INDEX source_types IF NOT EXISTS
FOR (n:Source)
ON (n.source_type, n.user_id);
