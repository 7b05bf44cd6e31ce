// What processing says of sources beside their text, for tests that start after it.
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: row.user_id})
SET s.ref = row.ref,
  s.source_type = row.source_type,
  s.token_count = row.token_count,
  s.keywords = row.keywords,
  s.path = row.path,
  s.message_id = row.message_id,
  s.channel = row.channel,
  s.thread_id = row.thread_id,
  s.sensitivity = row.sensitivity,
  s.personal_data = row.personal_data
WITH s
OPTIONAL MATCH (made:Extraction {source_id: s.id})
SET made.uncompressed = made.user_id
