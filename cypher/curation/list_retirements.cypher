// What was retired for a user, all that audits hold, and what it was at that moment: each row is to be judged as it comes.
// mode: read
// params: user_id
// returns: id, memory_id, label, reason, rails_checked, snapshot, state, ttl_policy, access_count, at
MATCH (a:CurationAudit {user_id: $user_id, action: 'retire'})
RETURN a.id AS id, a.memory_id AS memory_id, a.label AS label, a.reason AS reason,
  a.rails_checked AS rails_checked, a.snapshot AS snapshot, a.seen_state AS state,
  a.seen_ttl_policy AS ttl_policy, a.seen_access_count AS access_count, a.at AS at
