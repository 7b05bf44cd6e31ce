// The audit of a source that is put out of use (may_remove_source): what the rails saw of it. The source itself stays.
// takes: source, action
@audit(row.id, 'Source', action)
SET a.rails_checked = ['is_kept_forever'],
  a.seen_state = source.state,
  a.seen_ttl_policy = source.ttl_policy,
  a.seen_access_count = source.access_count
