// Every Relationship is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT relationship_id IF NOT EXISTS
FOR (n:Relationship)
REQUIRE n.id IS UNIQUE
