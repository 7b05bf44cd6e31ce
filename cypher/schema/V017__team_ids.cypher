// Every Team is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT team_id IF NOT EXISTS
FOR (n:Team)
REQUIRE n.id IS UNIQUE
