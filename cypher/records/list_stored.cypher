// What is stored of some records of a user, and in which sources they are recorded.
// mode: read
// params: user_id, ids
// returns: id, labels, properties, fingerprint, embedder, is_living, source_ids
UNWIND $ids AS wanted
@owned_memory(wanted)
OPTIONAL MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(s:Source {user_id: $user_id})
WITH m, collect(s.id) AS source_ids
RETURN m.id AS id, labels(m) AS labels, properties(m) AS properties, m.fingerprint AS fingerprint, m.embedder AS embedder,
  @is_living(m) AS is_living, source_ids
