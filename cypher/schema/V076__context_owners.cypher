// A user's contexts are found by the user.
// mode: schema
// params: -
// returns: -
CREATE INDEX context_owners IF NOT EXISTS
FOR (n:CompressedContext)
ON (n.user_id)
