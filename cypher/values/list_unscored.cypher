// The memories of a user that were written, or retired, since the user's memories were last
// scored: each query that writes one marks it, so that scoring costs what has changed. Of a retired one the
// audit says it. A recall may come while scores are made: by the accesses as read here it is seen (set_scored).
// mode: read
// params: user_id
// returns: memory_id, audit_id, accesses
MATCH (m:Memory {unscored: $user_id})
RETURN m.id AS memory_id, '' AS audit_id, coalesce(m.access_count, 0) AS accesses
UNION ALL
MATCH (a:CurationAudit {unscored: $user_id})
RETURN a.memory_id AS memory_id, a.id AS audit_id, 0 AS accesses
