// The audit of a memory that curation prunes, merges or removes (passes_rails): all that it was, and what the rails saw of it.
// takes: memory, action
@audit(row.id, row.label, action)
SET a.cycle_id = row.cycle_id,
  a.cut_key = $user_id + '|' + $now + '|' + row.audit_id,
  a.rails_checked = [
    'is_agent', 'is_agent_key', 'is_open_task', 'is_active_session', 'is_certain_belief', 'is_proven_reflection',
    'is_migration', 'is_system_config', 'is_new', 'is_consensus', 'is_kept_forever', 'is_owner'
  ],
  a.seen_state = memory.state,
  a.seen_ttl_policy = memory.ttl_policy,
  a.seen_access_count = memory.access_count,
  a.seen_agent_references = @agent_references(memory, [])
