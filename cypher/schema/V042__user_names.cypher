// A user's memberships are found by the user's name.
// mode: schema
// params: -
// returns: -
CREATE INDEX user_names IF NOT EXISTS
FOR (n:User)
ON (n.user_id)
