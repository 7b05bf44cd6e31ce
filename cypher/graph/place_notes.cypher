// What a note is by the steps that took it (004, Note Retention): the longest lifetime, counted from the event's time, or
// from when it was drawn from several (counts_from; graph/notes.py has them, in the order of their ranks). One without a
// duration never expires, and neither does a note whose event has no known time. Its day is its event's, or where it
// rests on statements, the last of theirs. It is placed at its relationship, or at the anchor that its name is resolved
// to now: in its own source, where a name is somebody else's in each.
// mode: write
// params: rows, user_id, now, lifetimes, durations
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
MATCH (n)-[t:TAKEN_FROM {user_id: $user_id}]->(s:Source)
WITH n, max(s.started_at) AS started_at, max(coalesce(t.counts_from, s.started_at)) AS counts_from,
  max(t.lifetime_rank) AS lifetime_rank, min(t.added_by) AS added_by
OPTIONAL MATCH (n)-[:RESTS_ON {user_id: $user_id}]->(c:KnowledgeChunk)
WITH n, started_at, counts_from, lifetime_rank, added_by, max(c.occurred_at) AS said_at, count(c) AS statements
SET n.noted_at = CASE WHEN statements > 0 THEN said_at ELSE started_at END,
  n.added_by = added_by,
  n.lifetime = $lifetimes[lifetime_rank - 1],
  n.expires_at = CASE
    WHEN $durations[lifetime_rank - 1] = '' THEN null
    ELSE counts_from + duration($durations[lifetime_rank - 1])
  END,
  n.updated_at = datetime($now)
SET @becomes_expiring(n)
WITH n
OPTIONAL MATCH (a:AnchorName {name_id: coalesce(n.name_id, ''), user_id: $user_id})
OPTIONAL MATCH (n)-[:TAKEN_FROM {user_id: $user_id}]->(:Source)-[x:MENTIONS {user_id: $user_id}]->(p:Memory)
WHERE size(a.resolved_ids) > 1 AND coalesce(x.name_id, p.id) = n.name_id AND p.user_id = $user_id
WITH n, a, min(p.id) AS here_id
WITH n, coalesce(n.relationship_id, here_id, a.resolved_id, n.name_id) AS subject_id
MATCH (m:Memory {id: subject_id, user_id: $user_id})
MERGE (m)-[:HAS_NOTE {user_id: $user_id}]->(n)
RETURN n.id AS id
