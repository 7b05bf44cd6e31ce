// Every CompressedContext is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT context_id IF NOT EXISTS
FOR (n:CompressedContext)
REQUIRE n.id IS UNIQUE
