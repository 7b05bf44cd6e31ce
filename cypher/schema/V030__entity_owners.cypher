// The entities of an owner by name.
// mode: schema
// params: -
// returns: -
CREATE INDEX entity_owners IF NOT EXISTS
FOR (n:Entity)
ON (n.user_id, n.canonical_name)
