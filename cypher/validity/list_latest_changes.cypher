// What was superseded last of a user's statements, and by what.
// mode: read
// params: user_id, limit
// returns: since, later_ref, later, earlier_ref, lost, reason, outdated, kind, why
UNWIND ['wholly', 'in part', 'perhaps'] AS outdated
MATCH (e:KnowledgeChunk {user_id: $user_id, outdated: outdated})
MATCH (e)<-[r:SUPERSEDES {user_id: $user_id}]-(l:KnowledgeChunk)
WHERE @in_use(e)
RETURN r.since AS since,
  l.ref AS later_ref,
  l.content AS later,
  e.ref AS earlier_ref,
  r.lost AS lost,
  r.reason AS reason,
  r.outdated AS outdated,
  r.kind AS kind,
  r.why AS why
ORDER BY since DESC, earlier_ref, later_ref
LIMIT $limit
