// What a merge has moved goes back: notes rest on the kept statement no longer where they rest on the merged one again.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id, now
// returns: id, removed
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
  AND m.restored_at = datetime($now)
MATCH (n:Note {id: row.start_id, user_id: $user_id})-[r:RESTS_ON {user_id: $user_id}]->(b:Memory)
WHERE b.id = row.end_id
WITH row.id AS id, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN id, size(links) AS removed
