// When the sources arrived that state, mention or support some memories of a user: of those that the user may read.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_id, arrived_at
UNWIND $memory_ids AS wanted
MATCH (m:Memory {id: wanted, user_id: $user_id})<-[:STATES|MENTIONS|SUPPORTS {user_id: $user_id}]-(s:Source)
WHERE @may_read(s)
RETURN m.id AS memory_id, collect(DISTINCT coalesce(s.ingested_at, s.created_at)) AS arrived_at
