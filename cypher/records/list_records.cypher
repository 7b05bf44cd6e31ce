// The living records of a user that a source in use has, by what they are.
// mode: read
// params: user_id, kinds
// returns: id, ref, kind, agent, record_id, state, tier, recorded_at, title, text
UNWIND $kinds AS wanted
MATCH (m:Memory {record_kind: wanted, user_id: $user_id})
WHERE @is_living(m)
  AND EXISTS {
    MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(s:Source {user_id: $user_id})
    WHERE @source_in_use(s)
  }
RETURN m.id AS id, m.ref AS ref, m.record_kind AS kind, m.agent AS agent, m.record_id AS record_id, m.state AS state,
  m.tier AS tier, m.recorded_at AS recorded_at, m.title AS title, m.text AS text
ORDER BY kind, recorded_at, id
