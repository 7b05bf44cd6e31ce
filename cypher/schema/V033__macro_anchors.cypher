// The macro of an anchor.
// mode: schema
// params: -
// returns: -
CREATE INDEX macro_anchors IF NOT EXISTS
FOR (n:Macro)
ON (n.user_id, n.anchor_id)
