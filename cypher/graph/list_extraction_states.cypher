// How far a user's extractions among these are, and why one failed.
// mode: read
// params: user_id, ids
// returns: source_id, status, error
UNWIND $ids AS extraction_id
MATCH (x:Extraction {id: extraction_id, user_id: $user_id})
RETURN x.source_id AS source_id, x.status AS status, x.error AS error
