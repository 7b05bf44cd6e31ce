// The value of a memory.
// mode: schema
// params: -
// returns: -
CREATE INDEX value_memories IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.user_id, n.memory_id)
