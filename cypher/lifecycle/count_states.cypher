// How many of a user's memories are in a state, by what they are.
// mode: read
// params: user_id, states
// returns: state, labels, memories
UNWIND $states AS state
MATCH (m:Memory {user_id: $user_id, state: state})
RETURN state, labels(m) AS labels, count(m) AS memories
