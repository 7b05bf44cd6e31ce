// What of a user has changed since storylines were formed: each query that writes what they follow from marks it, so
// that a night costs what is new. Names whose sources or statements are others, names that were
// retired (of these the audit says it), and statements that several sources make, or that hold otherwise.
// mode: read
// params: user_id
// returns: memory_id, audit_id, is_statement, since
MATCH (m:Memory {untold: $user_id})
RETURN m.id AS memory_id, '' AS audit_id, m:KnowledgeChunk AS is_statement, m.untold_from_at AS since
UNION ALL
MATCH (a:CurationAudit {untold: $user_id})
RETURN a.memory_id AS memory_id, a.id AS audit_id, false AS is_statement, null AS since
