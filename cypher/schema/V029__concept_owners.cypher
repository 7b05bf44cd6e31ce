// The concepts of an owner by name.
// mode: schema
// params: -
// returns: -
CREATE INDEX concept_owners IF NOT EXISTS
FOR (n:Concept)
ON (n.user_id, n.canonical_name)
