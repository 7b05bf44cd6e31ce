// The names of an owner.
// mode: schema
// params: -
// returns: -
CREATE INDEX anchor_name_owners IF NOT EXISTS
FOR (n:AnchorName)
ON (n.user_id)
