// A team by its name.
// mode: schema
// params: -
// returns: -
CREATE INDEX team_names IF NOT EXISTS
FOR (n:Team)
ON (n.team_id)
