// The sources that storylines of a user include, as far as the user may read them, the oldest first; archived ones too where
// with_archived; each with its statements in a storyline of one matter, those that still hold.
// mode: read
// params: user_id, user_ids, ids, with_archived
// returns: above_id, id, ref, owner, kind, title, text, statements, is_of_matter, at, is_archived
UNWIND $ids AS wanted
MATCH (t:Storyline {id: wanted, user_id: $user_id})
MATCH (t)-[:INCLUDES {user_id: $user_id}]->(s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
  AND (@in_use(s) OR $with_archived)
RETURN t.id AS above_id,
  s.id AS id,
  s.ref AS ref,
  s.user_id AS owner,
  s.source_type AS kind,
  coalesce(s.title, '') AS title,
  coalesce(s.summary, '') AS text,
  COLLECT {
    MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
    WHERE c.id IN t.statement_ids AND c.outdated IS NULL AND (@in_use(c) OR $with_archived)
      AND NOT EXISTS { MATCH (d:Decision {user_id: $user_id, kind: 'edit', memory_id: c.id}) WHERE d.is_out }
    RETURN {turn: coalesce(r.turn, 0), position: coalesce(r.position, 0), text: coalesce(r.statement, r.content)}
  } AS statements,
  size(coalesce(t.statement_ids, [])) > 0 AS is_of_matter,
  toString(s.started_at) AS at,
  NOT (@in_use(s)) AS is_archived
ORDER BY above_id, at, id
