// What processing left of the sources of one batch. Of the text itself only the beginning is read.
// mode: read
// params: ids, user_ids, opening
// returns: id, owner, title, summary, keywords, token_count, opening, sensitivity, personal_data, started_at
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
OPTIONAL MATCH (s)-[:HAS_CONTENT]->(text:SourceText)
RETURN s.id AS id, s.user_id AS owner, s.title AS title, s.summary AS summary, coalesce(s.keywords, []) AS keywords,
  s.token_count AS token_count, substring(coalesce(text.text, ''), 0, $opening) AS opening,
  s.sensitivity AS sensitivity, s.personal_data AS personal_data, s.started_at AS started_at
ORDER BY id
