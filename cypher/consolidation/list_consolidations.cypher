// A user's consolidations of a status, the oldest first, as they are stored.
// mode: read
// params: user_id, status
// returns: properties
MATCH (k:Consolidation {user_id: $user_id, status: $status})
RETURN properties(k) AS properties
ORDER BY k.first_at IS NULL, k.first_at, k.id
