// Of some memories of a user those that may say what another one says: statements and records in use, as they are compared. Not
// small talk, and not what somebody has decided to leave out.
// mode: read
// params: user_id, ids
// returns: id, kind, ref, text, speaker, occurred_at, valid_to, outdated, created_at, version, access_count, embedding, embedder
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND @in_use(m)
  AND @is_living(m)
  AND (m.record_kind IS NOT NULL OR m:KnowledgeChunk AND m.content_type <> 'chitchat')
RETURN m.id AS id,
  coalesce(m.record_kind, 'KnowledgeChunk') AS kind,
  m.ref AS ref,
  coalesce(m.content, coalesce(m.title + ': ', '') + m.text) AS text,
  CASE WHEN coalesce(m.said_by_owner, false) THEN '' ELSE coalesce(m.agent, m.speaker, '') END AS speaker,
  toString(coalesce(m.occurred_at, m.recorded_at)) AS occurred_at,
  toString(m.valid_to) AS valid_to,
  m.outdated AS outdated,
  toString(m.created_at) AS created_at,
  coalesce(m.version, 0) AS version,
  coalesce(m.access_count, 0) AS access_count,
  m.embedding AS embedding,
  m.embedder AS embedder
ORDER BY id
