// Whatever is noted of anybody and anything of a user's is to be described anew: the way of describing is another one.
// mode: write
// params: user_id, now
// returns: wanted
MATCH (m:Person|Concept|Entity|Relationship {user_id: $user_id})
WHERE m.described_from IS NOT NULL
SET @becomes_dirty(m, $now)
RETURN count(m) AS wanted
