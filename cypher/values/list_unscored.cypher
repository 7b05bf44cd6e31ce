// The statements, storylines and macros of a user that were written, or retired, since the user's memories were last
// scored: whoever writes one says so in the same statement, so that scoring costs what has changed.
// mode: read
// params: user_id
// returns: memory_id
MATCH (m:Memory {unscored: $user_id})
RETURN m.id AS memory_id
UNION ALL
MATCH (a:CurationAudit {unscored: $user_id})
RETURN a.memory_id AS memory_id
