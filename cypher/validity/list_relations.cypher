// What the statement of a reference supersedes and contradicts, and what does so to it, as far as the user may read both.
// mode: read
// params: user_id, user_ids, ref
// returns: relation, ref, text, at, outdated, reason, kind, lost, why, judged_by
MATCH (c:KnowledgeChunk {ref: $ref})
WHERE c.user_id = $user_id
MATCH (c)-[r]-(o:KnowledgeChunk)
WHERE type(r) IN ['SUPERSEDES', 'CONTRADICTS']
WITH c, r, o
WHERE @is_readable(c)
  AND @is_readable(o)
RETURN CASE
    WHEN type(r) = 'CONTRADICTS' THEN 'contradicts'
    WHEN startNode(r).id = c.id THEN 'supersedes'
    ELSE 'superseded by'
  END AS relation,
  o.ref AS ref, o.content AS text, toString(o.occurred_at) AS at,
  r.outdated AS outdated, r.reason AS reason, r.kind AS kind, r.lost AS lost, r.why AS why, r.judged_by AS judged_by
ORDER BY relation, at, ref
