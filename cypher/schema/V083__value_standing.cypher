// What an owner said must always hold, the newest first.
// mode: schema
// params: -
// returns: -
CREATE INDEX value_standing IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.standing_key)
