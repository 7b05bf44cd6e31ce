// The memories of an owner that were written since they were last scored.
// mode: schema
// params: -
// returns: -
CREATE INDEX memory_unscored IF NOT EXISTS
FOR (n:Memory)
ON (n.unscored)
