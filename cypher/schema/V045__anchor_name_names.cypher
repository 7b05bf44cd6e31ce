// Whom a name means, asked by what keeps the name it came from.
// mode: schema
// params: -
// returns: -
CREATE INDEX anchor_name_names IF NOT EXISTS
FOR (n:AnchorName)
ON (n.name_id)
