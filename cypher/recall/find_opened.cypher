// The statement, storyline, macro, person, concept, entity or relationship of a user behind a reference, archived or not,
// that the user may still read; records have a reading of their own. A relationship that no source supports any more says
// nothing.
// mode: read
// params: user_id, user_ids, ref
// returns: kind, id, ref, title, text, speaker, at, first_at, last_at, source_count, storyline_count, is_archived
MATCH (m:Memory {ref: $ref})
WHERE m.user_id = $user_id
  AND NOT m:Source
  AND NOT m:CompressedContext
  AND m.record_kind IS NULL
  AND (NOT m:Relationship OR coalesce(m.source_count, 0) > 0)
  AND @is_living(m)
  AND @is_readable(m)
RETURN CASE
    WHEN m:Macro THEN 'theme'
    WHEN m:Storyline THEN 'storyline'
    WHEN m:KnowledgeChunk THEN 'statement'
    ELSE coalesce(m.entity_type, 'relationship')
  END AS kind,
  m.id AS id,
  m.ref AS ref,
  coalesce(m.title, m.name, m.type) AS title,
  CASE
    WHEN m:KnowledgeChunk THEN m.content
    WHEN m:Macro OR m:Storyline THEN coalesce(m.overview, m.summary, '')
    ELSE coalesce(m.description, m.stated, '')
  END AS text,
  m.speaker AS speaker,
  toString(m.occurred_at) AS at,
  toString(coalesce(m.first_event_at, m.first_source_at, m.first_seen)) AS first_at,
  toString(coalesce(m.last_event_at, m.last_source_at, m.last_seen)) AS last_at,
  coalesce(m.total_source_count, m.source_count) AS source_count,
  m.storyline_count AS storyline_count,
  NOT (@in_use(m)) AS is_archived
ORDER BY id
LIMIT 1
