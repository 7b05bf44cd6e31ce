// Every Storyline is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT storyline_id IF NOT EXISTS
FOR (n:Storyline)
REQUIRE n.id IS UNIQUE
