// The living memories of an owner.
// mode: schema
// params: -
// returns: -
CREATE INDEX memory_states IF NOT EXISTS
FOR (n:Memory)
ON (n.user_id, n.state)
