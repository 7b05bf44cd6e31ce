// What is known of some pairs of a user's memories.
// mode: read
// params: user_id, ids
// returns: id, status, words
UNWIND $ids AS wanted
MATCH (p:DuplicatePair {id: wanted, user_id: $user_id})
RETURN p.id AS id, p.status AS status, p.words AS words
