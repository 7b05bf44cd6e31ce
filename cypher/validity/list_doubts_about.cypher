// The doubts of a user's agents in which these memories are: what is doubted, or the record that is held against it.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS wanted
MATCH (d:Decision {memory_id: wanted})
WHERE d.user_id = $user_id AND d.kind = 'doubt'
RETURN d.id AS id
UNION
UNWIND $ids AS wanted
MATCH (d:Decision {by_memory_id: wanted})
WHERE d.user_id = $user_id AND d.kind = 'doubt'
RETURN d.id AS id
