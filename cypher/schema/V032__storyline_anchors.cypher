// The storylines of an anchor.
// mode: schema
// params: -
// returns: -
CREATE INDEX storyline_anchors IF NOT EXISTS
FOR (n:Storyline)
ON (n.user_id, n.anchor_id)
