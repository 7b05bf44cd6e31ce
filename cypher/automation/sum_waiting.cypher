// How many tokens of each owner's sources no run has taken up (what has failed was): unprocessed ones (by their size) and
// the processed ones of users that are not extracted. A team's stay processed: its members extract them.
// mode: read
// params: user_ids, users, characters_per_token
// returns: user_id, tokens
UNWIND $user_ids AS owner
MATCH (s:Source {user_id: owner})
WHERE (s.processing_status = 'raw'
  OR (s.processing_status = 'processed' AND owner IN $users))
  AND @source_in_use(s)
RETURN owner AS user_id,
  sum(CASE WHEN s.processing_status = 'processed' THEN s.token_count ELSE toInteger(s.raw_size / $characters_per_token) END) AS tokens
