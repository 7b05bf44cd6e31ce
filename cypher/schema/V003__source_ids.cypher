// Every Source is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT source_id IF NOT EXISTS
FOR (n:Source)
REQUIRE n.id IS UNIQUE
