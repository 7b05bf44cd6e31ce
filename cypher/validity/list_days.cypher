// What has become of a user's statements since an instant, as far as the user may read them: what is new, and what later
// statements supersede or close. Of what is forgotten the words are given where the user's own sources alone said them.
// The instant is read once, not for each statement.
// mode: read
// params: user_id, user_ids, since
// returns: what, ref, text, at, by_ref, by_text
WITH datetime($since) AS since
MATCH (c:KnowledgeChunk {user_id: $user_id})
WHERE @in_use(c)
  AND c.created_at >= since
  AND c.content_type <> 'chitchat'
WITH c
WHERE @is_readable(c)
RETURN 'new' AS what, c.ref AS ref, c.content AS text, toString(c.occurred_at) AS at, null AS by_ref, null AS by_text
UNION ALL
WITH datetime($since) AS since
UNWIND ['wholly', 'in part', 'perhaps'] AS outdated
MATCH (e:KnowledgeChunk {user_id: $user_id, outdated: outdated})
MATCH (e)<-[r:SUPERSEDES {user_id: $user_id}]-(l:KnowledgeChunk)
WHERE r.found_at >= since
WITH e, r, l
WHERE @is_readable(e)
  AND @is_readable(l)
RETURN CASE
    WHEN r.outdated = 'perhaps' THEN 'perhaps changed'
    WHEN r.reason = 'done' THEN 'closed'
    ELSE 'changed'
  END AS what, e.ref AS ref, r.lost AS text, toString(e.occurred_at) AS at, l.ref AS by_ref, l.content AS by_text
UNION ALL
WITH datetime($since) AS since
MATCH (one:KnowledgeChunk {user_id: $user_id, is_disputed: true})
MATCH (one)-[r:CONTRADICTS {user_id: $user_id}]->(other:KnowledgeChunk)
WHERE r.found_at >= since
WITH one, other
WHERE @is_readable(one)
  AND @is_readable(other)
RETURN 'contradicted' AS what, one.ref AS ref, one.content AS text, toString(one.occurred_at) AS at,
  other.ref AS by_ref, other.content AS by_text
UNION ALL
WITH datetime($since) AS since
MATCH (a:CurationAudit {user_id: $user_id, action: 'retire'})
WHERE a.at >= since
  AND a.label = 'KnowledgeChunk'
RETURN 'forgotten' AS what, null AS ref, CASE WHEN a.is_own THEN a.snapshot END AS text, toString(a.at) AS at, null AS by_ref, a.reason AS by_text
