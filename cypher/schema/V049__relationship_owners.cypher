// The relationships of a user by type.
// mode: schema
// params: -
// returns: -
CREATE INDEX relationship_owners IF NOT EXISTS
FOR (n:Relationship)
ON (n.user_id, n.type)
