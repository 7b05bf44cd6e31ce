// How names are written: as most sources write them; of equals, the first in text order.
// mode: write
// params: rows, user_id
// returns: id, name
UNWIND $rows AS row
MATCH (a:AnchorName {id: row.key, user_id: $user_id})
UNWIND a.resolved_ids AS anchor_id
MATCH (n:Memory {id: anchor_id, user_id: $user_id})
MATCH (n)<-[m:MENTIONS {user_id: $user_id}]-(s:Source)
WHERE m.name_id = a.name_id
WITH a, m.name AS name, count(DISTINCT s.id) AS times
ORDER BY times DESC, name
WITH a, head(collect(name)) AS name
SET a.name = name
RETURN a.name_id AS id, name
