// The headings of some sources that a user may read, and what some of their turns state for the user. A statement that a
// note replaces is folded: its source says which turns are still read. Times come as text, and all sources in one row: the
// driver takes longer to make instants of them, and to take rows one by one, than the engine to find them.
// mode: read
// params: rows, user_id, user_ids
// returns: sources
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE r.turn IN row.turns OR any(turn IN coalesce(r.turns, []) WHERE turn IN row.turns)
WITH s, c, r
ORDER BY s.id, r.turn, r.position
WITH s, collect(CASE WHEN c IS NULL THEN null ELSE {id: c.id, ref: c.ref, turns: coalesce(r.turns, [r.turn]), words: coalesce(r.content, ''),
  is_in_use: @in_use(c), is_folded: c.folded_by IS NOT NULL, outdated: c.outdated} END) AS said
RETURN collect({source_id: s.id, ref: s.ref, owner: s.user_id, kind: s.source_type, title: coalesce(s.title, ''),
  at: toString(s.started_at), is_archived: NOT (@in_use(s)), kept_turns: s.kept_turns, said: said}) AS sources
