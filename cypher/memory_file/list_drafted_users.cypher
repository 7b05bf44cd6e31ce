// Every user who has a draft.
// mode: read
// params: -
// returns: user_id
// owner: no (bookkeeping over all users; no content)
MATCH (d:MemoryDraft)
RETURN DISTINCT d.user_id AS user_id
ORDER BY user_id
