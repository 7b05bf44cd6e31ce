// Every StageState is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT stage_state_id IF NOT EXISTS
FOR (n:StageState)
REQUIRE n.id IS UNIQUE
