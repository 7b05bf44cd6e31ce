// What a user has extracted from sources that the user may no longer read, or has withdrawn: those of which something is
// left, and those that were not let go of yet.
// mode: read
// params: user_id, user_ids
// returns: source_id, started_at, source_started_at
MATCH (x:Extraction {user_id: $user_id})
MATCH (s:Source {id: x.source_id})
WHERE (NOT @is_open_to(s.readers, $user_ids)
    OR (s.user_id = $user_id AND s.withdrawn_at IS NOT NULL))
  AND ((x.status = 'extracted' AND x.fingerprint <> 'withheld')
    OR EXISTS { MATCH (s)-[:MENTIONS|STATES {user_id: $user_id}]->(:Memory) })
RETURN s.id AS source_id, s.started_at AS started_at, x.source_started_at AS source_started_at
ORDER BY source_id
