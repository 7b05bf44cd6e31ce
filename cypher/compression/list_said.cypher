// What the extraction of the sources of one batch found said, in their words.
// mode: read
// params: ids, user_id
// returns: source_id, content, speaker, turn, content_type, durability, confidence, token_count, is_instruction, has_personal_data, position, said_by_owner
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE c.user_id = $user_id
RETURN s.id AS source_id, coalesce(r.content, '') AS content, r.speaker AS speaker, coalesce(r.turn, 0) AS turn,
  coalesce(r.content_type, 'chitchat') AS content_type, coalesce(r.durability, 0.0) AS durability,
  coalesce(r.confidence, 0.0) AS confidence, coalesce(r.token_count, c.token_count, 0) AS token_count,
  coalesce(r.is_instruction, false) AS is_instruction, coalesce(r.has_personal_data, false) AS has_personal_data,
  coalesce(r.position, 0) AS position, coalesce(r.said_by_owner, false) AS said_by_owner
