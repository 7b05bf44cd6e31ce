// All of a user's memories that have a state, archived or not.
// mode: read
// params: user_id, states
// returns: memory_id
UNWIND $states AS state
MATCH (m:Memory {user_id: $user_id, state: state})
RETURN m.id AS memory_id
