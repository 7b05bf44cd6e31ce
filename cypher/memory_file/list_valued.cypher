// Which of some memories have a value for a user, so that `explain` knows their references. Looked up by an index: along
// a source's edges, the engine walks all that it says.
// mode: read
// params: user_id, memory_ids
// returns: memory_id
UNWIND $memory_ids AS wanted
MATCH (vc:ValueClassification {user_id: $user_id, memory_id: wanted})
RETURN vc.memory_id AS memory_id
