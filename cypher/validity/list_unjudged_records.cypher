// Those of some records of a user's agents that are in use and of which no run has read all that has them: what is remembered
// is compared with them before they are judged. One that somebody has decided against in a file says nothing.
// mode: read
// params: user_id, ids
// returns: id, text, agent, at, is_preference, embedding
UNWIND $ids AS wanted
@owned_memory(wanted)
  AND m.record_kind = 'MemoryEntry'
  AND @is_living(m)
  AND @in_use(m)
  AND NOT EXISTS {
    MATCH (d:Decision {memory_id: m.id})
    WHERE d.user_id = $user_id AND d.kind = 'edit' AND d.is_out
  }
MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(s:Source {user_id: $user_id})
WHERE @source_in_use(s)
  AND s.processing_status <> 'extracted'
RETURN DISTINCT m.id AS id, m.text AS text, m.agent AS agent, toString(m.recorded_at) AS at,
  coalesce(m.memory_kind = 'preference', false) AS is_preference, m.embedding AS embedding
