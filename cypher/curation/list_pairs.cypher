// The pairs of a user's memories of a status, the likest first: both as they are, as far as both are in use. Not those that a
// model by the name of $judge was asked about, where one is given; where $begins is given only those whose id begins so.
// mode: read
// params: user_id, status, limit, judge, begins
// returns: id, kind, reason, cosine, found_at, asked, a, a_ref, a_text, a_speaker, a_at, b, b_ref, b_text, b_speaker, b_at
MATCH (p:DuplicatePair {user_id: $user_id, status: $status})
WHERE $begins IS NULL OR p.id STARTS WITH $begins
MATCH (a:Memory {id: p.a})
MATCH (b:Memory {id: p.b})
WHERE a.user_id = $user_id
  AND b.user_id = $user_id
  AND ($judge IS NULL OR coalesce(p.asked, '') <> $judge)
  AND @in_use(a)
  AND @in_use(b)
RETURN p.id AS id,
  p.kind AS kind,
  p.reason AS reason,
  p.cosine AS cosine,
  toString(p.found_at) AS found_at,
  p.asked AS asked,
  a.id AS a,
  a.ref AS a_ref,
  coalesce(a.content, coalesce(a.title + ': ', '') + a.text) AS a_text,
  CASE WHEN coalesce(a.said_by_owner, false) THEN '' ELSE coalesce(a.agent, a.speaker, '') END AS a_speaker,
  toString(coalesce(a.occurred_at, a.recorded_at)) AS a_at,
  b.id AS b,
  b.ref AS b_ref,
  coalesce(b.content, coalesce(b.title + ': ', '') + b.text) AS b_text,
  CASE WHEN coalesce(b.said_by_owner, false) THEN '' ELSE coalesce(b.agent, b.speaker, '') END AS b_speaker,
  toString(coalesce(b.occurred_at, b.recorded_at)) AS b_at
ORDER BY coalesce(cosine, 1.0) DESC, id
LIMIT $limit
