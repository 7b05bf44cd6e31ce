// How many sources, of those that the user may read, have arrived from an instant on, up to another one, and mention a memory
// of the user's.
// mode: read
// params: user_id, user_ids, id, since, until
// returns: mentions
MATCH (:Memory {id: $id, user_id: $user_id})<-[:STATES|MENTIONS|SUPPORTS {user_id: $user_id}]-(s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
  AND coalesce(s.ingested_at, s.created_at) >= datetime($since)
  AND coalesce(s.ingested_at, s.created_at) <= datetime($until)
RETURN count(DISTINCT s) AS mentions
