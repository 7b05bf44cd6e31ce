// Every Macro is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT macro_id IF NOT EXISTS
FOR (n:Macro)
REQUIRE n.id IS UNIQUE
