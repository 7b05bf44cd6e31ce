// Of whom or what something else is noted now: described again by the next consolidation (descriptions/policy.py has the
// key, which an index finds).
// takes: memory, at
memory.is_dirty = true,
  memory.dirty_at = datetime(at),
  memory.stale_key = $user_id + '|'
