// Of these anchors those of which it is not known since when mentions confirm them: candidates, also archived ones, and what
// was retrieved before anybody looked. Nothing confirms the owner's own Person, who is certain.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS wanted
MATCH (n:Memory {id: wanted, user_id: $user_id})
WHERE coalesce(n.is_owner, false) = false
  AND (
    CASE WHEN @in_use(n) THEN n.state ELSE coalesce(n.archived_from, 'candidate') END = 'candidate'
    OR (n.promoted_at IS NULL AND n.access_count > 0)
  )
RETURN n.id AS id
