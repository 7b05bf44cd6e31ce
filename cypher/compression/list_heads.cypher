// Those of some sources that a user has extracted, or tried to, and may read: the state of each, and what its contexts follow
// from. What is withheld from the user is not among them.
// mode: read
// params: ids, user_id, user_ids
// returns: id, owner, status, extraction, processed, text, sensitivity, personal_data, source_type, started_at, thread_id, conversation_id, channel, path, replies_to
UNWIND $ids AS source_id
MATCH (x:Extraction {user_id: $user_id, source_id: source_id})
WHERE coalesce(x.fingerprint, '') <> 'withheld'
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (s)-[:REPLIES_TO]->(p:Source)
WITH s, x, min(p.id) AS replies_to
RETURN s.id AS id, s.user_id AS owner, x.status AS status, x.fingerprint AS extraction,
  s.processed_fingerprint AS processed, s.text_fingerprint AS text, s.sensitivity AS sensitivity,
  s.personal_data AS personal_data, s.source_type AS source_type, s.started_at AS started_at,
  s.thread_id AS thread_id, s.conversation_id AS conversation_id, s.channel AS channel, s.path AS path,
  replies_to AS replies_to
