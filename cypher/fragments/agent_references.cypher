// How many agents' living records refer to a memory, but for some that a plan has cut.
// takes: memory, gone
size(COLLECT {
    MATCH (memory)<-[:REFERS_TO {user_id: $user_id}]-(referring:Memory)
    WHERE referring.tombstone IS NULL
      AND NOT referring.id IN gone
    RETURN DISTINCT coalesce(referring.agent, '')
  })
