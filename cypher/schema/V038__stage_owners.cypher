// What a stage of an owner was last made from.
// mode: schema
// params: -
// returns: -
CREATE INDEX stage_owners IF NOT EXISTS
FOR (n:StageState)
ON (n.user_id, n.stage)
