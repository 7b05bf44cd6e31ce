// The audit of a memory that is retired (may_retire): all that it was, and what the rails saw of it.
// takes: memory
@audit(row.id, row.label, 'retire')
SET a.rails_checked = ['is_kept_forever', 'is_core', 'was_recalled'],
  a.seen_state = memory.state,
  a.seen_ttl_policy = memory.ttl_policy,
  a.seen_access_count = memory.access_count
