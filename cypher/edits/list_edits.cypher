// What edits of a user's files have decided, the oldest first, with what each memory says now (null where it is gone).
// Of a task: its id in people's words, what it was before as JSON, and the digest of what the edit has made of it.
// mode: read
// params: user_id, user_ids
// returns: id, memory_id, ref, action, by_memory_id, in_place_of, path, section, source_id, published_text, edited_text, conflict, at, taken_in_at, action_before, seen, task_key, task_before, task_hash, entity_type, text, label, said_by_owner, occurred_at, agent
UNWIND ['edit', 'task'] AS kind
MATCH (e:Decision {user_id: $user_id, kind: kind})
OPTIONAL MATCH (m:Memory {id: coalesce(e.memory_id, '')})
WHERE @may_read(m)
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
  e.recorded_at AS taken_in_at,
  e.action_before AS action_before,
  e.seen AS seen,
  e.task_key AS task_key,
  e.task_before AS task_before,
  e.task_hash AS task_hash,
  CASE
    WHEN m:KnowledgeChunk THEN 'KnowledgeChunk'
    WHEN m:Storyline THEN 'Storyline'
    WHEN m:Macro THEN 'Macro'
    WHEN m:Source THEN 'Source'
    ELSE null
  END AS entity_type,
  CASE
    WHEN m:KnowledgeChunk THEN m.content
    WHEN m:Macro OR m:Storyline THEN @overview(m)
    ELSE m.summary
  END AS text,
  CASE
    WHEN m:KnowledgeChunk THEN m.speaker
    WHEN m:Source THEN null
    ELSE m.title
  END AS label,
  coalesce(m.said_by_owner, false) AS said_by_owner,
  CASE
    WHEN m:KnowledgeChunk THEN m.occurred_at
    WHEN m:Macro THEN m.last_event_at
    WHEN m:Storyline THEN m.last_source_at
    ELSE m.started_at
  END AS occurred_at,
  e.agent AS agent
ORDER BY at, taken_in_at, id
