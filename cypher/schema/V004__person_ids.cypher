// Every Person is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT person_id IF NOT EXISTS
FOR (n:Person)
REQUIRE n.id IS UNIQUE
