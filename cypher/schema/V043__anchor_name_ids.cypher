// A name of an owner's is stored once.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT anchor_name_ids IF NOT EXISTS
FOR (n:AnchorName)
REQUIRE n.id IS UNIQUE
