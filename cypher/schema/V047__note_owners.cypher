// The notes of a user by source.
// mode: schema
// params: -
// returns: -
CREATE INDEX note_owners IF NOT EXISTS
FOR (n:Note)
ON (n.user_id, n.source_id)
