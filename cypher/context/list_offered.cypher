// Which of some memories may be offered to an agent unasked, with when they were said and how far they hold no longer: what
// the user may read and what is not archived, or what a note replaces (its kept turns are still read). Everything in
// a context has passed here.
// mode: read
// params: user_ids, memory_ids
// returns: memory_id, ref, at, outdated
UNWIND $memory_ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE @may_read(m)
  AND @is_living(m)
  AND (@in_use(m) OR m.kept_turns IS NOT NULL)
RETURN m.id AS memory_id,
  m.ref AS ref,
  toString(m.occurred_at) AS at,
  m.outdated AS outdated
