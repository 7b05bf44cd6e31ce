// What a user has edited is found by the user.
// mode: schema
// params: -
// returns: -
CREATE INDEX file_edit_owners IF NOT EXISTS
FOR (n:FileEdit)
ON (n.user_id)
