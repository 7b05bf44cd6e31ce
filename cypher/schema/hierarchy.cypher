// Storylines and macros.
// mode: schema
// params: -
// returns: -

// Every Storyline is found by its id, and no two share one.
CREATE CONSTRAINT storyline_id IF NOT EXISTS
FOR (n:Storyline)
REQUIRE n.id IS UNIQUE;

// The storylines of an anchor.
CREATE INDEX storyline_anchors IF NOT EXISTS
FOR (n:Storyline)
ON (n.user_id, n.anchor_id);

// Every Macro is found by its id, and no two share one.
CREATE CONSTRAINT macro_id IF NOT EXISTS
FOR (n:Macro)
REQUIRE n.id IS UNIQUE;

// The macro of an anchor.
CREATE INDEX macro_anchors IF NOT EXISTS
FOR (n:Macro)
ON (n.user_id, n.anchor_id);
