// Every User is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT user_id IF NOT EXISTS
FOR (n:User)
REQUIRE n.id IS UNIQUE
