// A link goes that a test has added.
MATCH (a:Memory {id: $start_id})-[r:REFERS_TO {user_id: $user_id}]->(b:Memory {id: $end_id})
WITH collect(r) AS links
FOREACH (r IN links | DELETE r)
