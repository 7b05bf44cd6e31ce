// The sources that a user has extracted, or tried to, among those that the user may read: the status of each, and what
// its contexts follow from. What is withheld from the user is not among them.
// mode: read
// params: user_id, user_ids
// returns: id, owner, status, extraction, processed, text, sensitivity, personal_data, source_type, started_at, thread_id, conversation_id, channel, path, replies_to
MATCH (x:Extraction {user_id: $user_id})
WHERE coalesce(x.fingerprint, '') <> 'withheld'
MATCH (s:Source {id: x.source_id})
WHERE @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (s)-[:REPLIES_TO]->(p:Source)
WITH s, x, min(p.id) AS replies_to
RETURN s.id AS id, s.user_id AS owner, x.status AS status, x.fingerprint AS extraction,
  s.processed_fingerprint AS processed, s.text_fingerprint AS text, s.sensitivity AS sensitivity,
  s.personal_data AS personal_data, s.source_type AS source_type, s.started_at AS started_at,
  s.thread_id AS thread_id, s.conversation_id AS conversation_id, s.channel AS channel, s.path AS path,
  replies_to AS replies_to
