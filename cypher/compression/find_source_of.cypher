// The source behind a key that a user may read: a source's id or reference, a context's, or a statement's reference (of
// the sources that state it the newest first).
// mode: read
// params: key, user_id, user_ids
// returns: source_id, rank, at
CALL () {
  MATCH (s:Source {id: $key})
  WHERE @may_read(s)
    AND @source_in_use(s)
  RETURN s.id AS source_id, 0 AS rank, s.started_at AS at
  UNION
  @owned_context($key)
  RETURN c.source_id AS source_id, 1 AS rank, c.occurred_at AS at
  UNION
  MATCH (m:Memory {ref: $key})
  WHERE m:Source AND @may_read(m)
    AND @source_in_use(m)
  RETURN m.id AS source_id, 2 AS rank, m.started_at AS at
  UNION
  MATCH (m:Memory {ref: $key})
  WHERE m:CompressedContext AND m.user_id = $user_id
  RETURN m.source_id AS source_id, 3 AS rank, m.occurred_at AS at
  UNION
  MATCH (m:Memory {ref: $key})
  MATCH (m)<-[:STATES {user_id: $user_id}]-(s:Source)
  WHERE m.user_id = $user_id AND @may_read(s)
    AND @source_in_use(s)
  RETURN s.id AS source_id, 4 AS rank, s.started_at AS at
}
RETURN source_id, rank, at
ORDER BY rank, at IS NULL, at DESC, source_id
LIMIT 1
