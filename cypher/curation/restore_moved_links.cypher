// What a merge has moved goes back: the remaining memory loses the relationships that it has from the merged one, which has them
// again.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id, now
// returns: id, removed
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
  AND m.restored_at = datetime($now)
CALL (row) {
  MATCH (k:Memory {id: row.kept_id})-[r]->(o)
  WHERE k.user_id = $user_id
    AND row.is_out
    AND o.id = row.other_id
    AND type(r) = row.type
  RETURN r
  UNION ALL
  MATCH (k:Memory {id: row.kept_id})<-[r]-(o)
  WHERE k.user_id = $user_id
    AND NOT row.is_out
    AND o.id = row.other_id
    AND type(r) = row.type
  RETURN r
}
WITH row.id AS id, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN id, size(links) AS removed
