// These notes have expired and stay, because a description rests on them: no cleaning looks at them until it does so no longer
// (unlink_cited gives the key back).
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
@holds(n)
WITH n
WHERE n.expires_at <= datetime($now)
  AND EXISTS { MATCH (:Memory)-[:DESCRIBED_BY]->(n) }
SET n.expiry_key = null
RETURN n.id AS id
