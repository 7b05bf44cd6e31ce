// The persons of an owner by name.
// mode: schema
// params: -
// returns: -
CREATE INDEX person_owners IF NOT EXISTS
FOR (n:Person)
ON (n.user_id, n.canonical_name)
