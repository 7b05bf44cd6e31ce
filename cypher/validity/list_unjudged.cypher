// The statements of a user that were written, or retired, since it was last judged what holds: each statement that
// writes one marks it, so that judging costs what has changed. Of a retired one the audit says it.
// mode: read
// params: user_id
// returns: memory_id, audit_id
MATCH (m:Memory {unjudged: $user_id})
RETURN m.id AS memory_id, '' AS audit_id
UNION ALL
MATCH (a:CurationAudit {unjudged: $user_id})
RETURN a.memory_id AS memory_id, a.id AS audit_id
