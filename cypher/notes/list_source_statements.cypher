// What the extraction of the sources of one batch found said, in their words.
// mode: read
// params: ids, user_id
// returns: source_id, chunk_id, turn, speaker, content, content_type, durability, about, position, said_by_owner
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE c.user_id = $user_id
WITH s.id AS source_id, c.id AS chunk_id, r.turn AS turn, r.speaker AS speaker, r.content AS content,
  r.content_type AS content_type, r.durability AS durability, r.about AS about,
  coalesce(r.position, 0) AS position, coalesce(r.said_by_owner, false) AS said_by_owner
RETURN source_id, chunk_id, turn, speaker, content, content_type, durability, about, position, said_by_owner
ORDER BY source_id, turn, chunk_id
