// What edits of a user's files have decided about memories, with what each of these says now (null where it is gone).
// mode: read
// params: user_id, user_ids
// returns: id, memory_id, ref, action, by_memory_id, in_place_of, path, section, source_id, published_text, edited_text, conflict, at, taken_in_at, entity_type, text
MATCH (e:FileEdit {user_id: $user_id})
OPTIONAL MATCH (m:Memory {id: e.memory_id})
WHERE m.user_id IN $user_ids
  AND (m.readers IS NULL OR any(reader IN m.readers WHERE reader IN $user_ids))
RETURN e.id AS id,
  e.memory_id AS memory_id,
  e.ref AS ref,
  e.action AS action,
  e.by_memory_id AS by_memory_id,
  e.in_place_of AS in_place_of,
  e.path AS path,
  e.section AS section,
  e.source_id AS source_id,
  e.published_text AS published_text,
  e.edited_text AS edited_text,
  e.conflict AS conflict,
  e.at AS at,
  e.taken_in_at AS taken_in_at,
  CASE
    WHEN m:KnowledgeChunk THEN 'KnowledgeChunk'
    WHEN m:Storyline THEN 'Storyline'
    WHEN m:Macro THEN 'Macro'
    WHEN m:Source THEN 'Source'
    ELSE null
  END AS entity_type,
  CASE
    WHEN m:KnowledgeChunk THEN m.content
    WHEN m:Macro THEN m.overview
    ELSE m.summary
  END AS text
ORDER BY at, id
