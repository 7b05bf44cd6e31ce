// The consolidations of a user of which a source has gone, or states something else, since they were looked at; the oldest
// first, as they are stored. Whatever takes a source away marks them, so that a look costs what has changed.
// mode: read
// params: user_id
// returns: properties
MATCH (k:Consolidation {unchecked: $user_id})
WHERE k.status = 'done'
RETURN properties(k) AS properties
ORDER BY k.first_at IS NULL, k.first_at, k.id
