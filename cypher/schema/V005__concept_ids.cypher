// Every Concept is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT concept_id IF NOT EXISTS
FOR (n:Concept)
REQUIRE n.id IS UNIQUE
