// The name of an anchor as people see it: the one most sources use; of equals, the first in text order.
// mode: write
// params: rows, user_id
// returns: id, name
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
MATCH (n)<-[m:MENTIONS {user_id: $user_id}]-(s:Source)
WITH n, m.name AS name, count(DISTINCT s.id) AS times
ORDER BY times DESC, name
WITH n, head(collect(name)) AS name
SET n.name = name
RETURN n.id AS id, name
