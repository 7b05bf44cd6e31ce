// Of whom or what something else is noted now: described again by the next consolidation (descriptions/policy.py has the
// key, which an index finds). How long it waits begins with the first note since it was described; the last one is what
// whoever describes it compares.
// takes: memory, at
memory.dirty_since = CASE
    WHEN memory.is_dirty THEN coalesce(memory.dirty_since, memory.dirty_at, datetime(at))
    ELSE datetime(at)
  END,
  memory.is_dirty = true,
  memory.dirty_at = datetime(at),
  memory.stale_key = $user_id + '|'
