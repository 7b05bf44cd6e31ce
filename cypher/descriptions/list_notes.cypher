// What is noted of some subjects of a user in sources that the user may read, and on which statements insights rest.
// A relationship's sources say it in words of their own, which count like a note of the source.
// mode: read
// params: user_id, user_ids, ids
// returns: subject_id, note_id, source_id, content, lifetime, noted_at, expires_at, rests_on
UNWIND $ids AS wanted
@owned_memory(wanted)
MATCH (m)-[:HAS_NOTE {user_id: $user_id}]->(n:Note)-[:TAKEN_FROM {user_id: $user_id}]->(s:Source)
WHERE @may_read(s)
OPTIONAL MATCH (n)-[:RESTS_ON {user_id: $user_id}]->(c:KnowledgeChunk)
WITH DISTINCT m, n, s, c.id AS statement_id
RETURN m.id AS subject_id, n.id AS note_id, s.id AS source_id, n.content AS content, n.lifetime AS lifetime,
  n.noted_at AS noted_at, n.expires_at AS expires_at, collect(statement_id) AS rests_on
UNION ALL
UNWIND $ids AS wanted
MATCH (r:Relationship {id: wanted})
WHERE r.user_id = $user_id
MATCH (s:Source)-[p:SUPPORTS {user_id: $user_id}]->(r)
WHERE @may_read(s)
RETURN DISTINCT r.id AS subject_id, null AS note_id, s.id AS source_id, p.description AS content, null AS lifetime,
  s.started_at AS noted_at, null AS expires_at, [] AS rests_on
