// The notes of a user.
// mode: schema
// params: -
// returns: -
CREATE INDEX note_owners IF NOT EXISTS
FOR (n:Note)
ON (n.user_id)
