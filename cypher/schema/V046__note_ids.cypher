// Every Note is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT note_id IF NOT EXISTS
FOR (n:Note)
REQUIRE n.id IS UNIQUE
