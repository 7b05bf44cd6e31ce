// What memories of a pool say, as far as the user may read them. Of a source also its kind; of a statement where it was
// said: the sources that the user may read, with the same places in four lists (one empty text where there is none). Both
// in one statement, so that each memory is looked up once.
// Times come as text: the driver takes longer to make instants of them than the engine to find them.
// mode: read
// params: user_ids, memory_ids
// returns: memory_id, ref, owner, text, label, said_by_owner, embedding, source_type, source_ids, source_refs, starts, turns
UNWIND $memory_ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id IN $user_ids
  AND (m.readers IS NULL OR any(reader IN m.readers WHERE reader IN $user_ids))
OPTIONAL MATCH (m)<-[r:STATES]-(s:Source)
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
WITH m,
  collect(coalesce(s.id, '')) AS source_ids,
  collect(coalesce(s.ref, '')) AS source_refs,
  collect(coalesce(toString(s.started_at), '')) AS starts,
  collect(coalesce(r.turn, 0)) AS turns
RETURN m.id AS memory_id,
  m.ref AS ref,
  m.user_id AS owner,
  CASE
    WHEN m:KnowledgeChunk THEN m.content
    WHEN m:Macro THEN m.overview
    ELSE m.summary
  END AS text,
  CASE
    WHEN m:KnowledgeChunk THEN m.speaker
    WHEN m:Source THEN null
    ELSE m.title
  END AS label,
  coalesce(m.said_by_owner, false) AS said_by_owner,
  m.embedding AS embedding,
  coalesce(m.source_type, '') AS source_type,
  source_ids,
  source_refs,
  starts,
  turns
