// What a user has extracted already, from own and team sources.
// mode: read
// params: user_id
// returns: source_id, fingerprint, status
MATCH (x:Extraction {user_id: $user_id})
RETURN x.source_id AS source_id, x.fingerprint AS fingerprint, x.status AS status
