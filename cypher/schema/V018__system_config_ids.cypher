// Every SystemConfig is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT system_config_id IF NOT EXISTS
FOR (n:SystemConfig)
REQUIRE n.id IS UNIQUE
