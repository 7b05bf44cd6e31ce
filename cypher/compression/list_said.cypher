// What the extraction of the sources of one batch found said, in their words.
// mode: read
// params: ids, user_id
// returns: source_id, content, speaker, turn, content_type, durability, confidence, token_count, is_instruction, has_personal_data, position, said_by_owner
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE c.user_id = $user_id
RETURN s.id AS source_id, r.content AS content, r.speaker AS speaker, r.turn AS turn, r.content_type AS content_type,
  r.durability AS durability, r.confidence AS confidence, r.token_count AS token_count,
  r.is_instruction AS is_instruction, r.has_personal_data AS has_personal_data,
  coalesce(r.position, 0) AS position, coalesce(r.said_by_owner, false) AS said_by_owner
