// How many agents' living records refer to a memory.
// takes: memory
size(COLLECT {
    MATCH (memory)<-[:REFERS_TO {user_id: $user_id}]-(referring:Memory)
    WHERE referring.tombstone IS NULL
    RETURN DISTINCT coalesce(referring.agent, '')
  })
