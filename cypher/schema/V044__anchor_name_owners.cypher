// The names of an owner.
// With the id: an index by the owner alone would be read in place of the unique one, row by row.
// mode: schema
// params: -
// returns: -
CREATE INDEX anchor_name_owners IF NOT EXISTS
FOR (n:AnchorName)
ON (n.user_id, n.id)
