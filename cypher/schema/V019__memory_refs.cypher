// A reference in a MEMORY.md leads to its memory.
// mode: schema
// params: -
// returns: -
CREATE INDEX memory_refs IF NOT EXISTS
FOR (n:Memory)
ON (n.user_id, n.ref)
