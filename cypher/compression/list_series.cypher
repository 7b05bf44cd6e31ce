// The sources of threads, channels, files and conversations, each of an owner by its name, and the mails that some mails answer
// or are answered by.
// mode: read
// params: threads, channels, paths, conversations, ids, user_ids
// returns: id
UNWIND $threads AS row
MATCH (s:Source {user_id: row.owner, thread_id: row.name})
WITH s
WHERE @may_read(s)
RETURN s.id AS id
UNION
UNWIND $channels AS row
MATCH (s:Source {user_id: row.owner, channel: row.name})
WITH s
WHERE @may_read(s)
RETURN s.id AS id
UNION
UNWIND $paths AS row
MATCH (s:Source {user_id: row.owner, path: row.name})
WITH s
WHERE @may_read(s)
RETURN s.id AS id
UNION
UNWIND $conversations AS row
MATCH (s:Source {user_id: row.owner, conversation_id: row.name})
WITH s
WHERE @may_read(s)
RETURN s.id AS id
UNION
UNWIND $ids AS source_id
MATCH (:Source {id: source_id})-[:REPLIES_TO]-(s:Source)
WITH s
WHERE @may_read(s)
RETURN s.id AS id
