// Every Extraction is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT extraction_id IF NOT EXISTS
FOR (n:Extraction)
REQUIRE n.id IS UNIQUE
