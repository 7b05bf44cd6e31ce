// Every ValueClassification is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT value_classification_id IF NOT EXISTS
FOR (n:ValueClassification)
REQUIRE n.id IS UNIQUE
