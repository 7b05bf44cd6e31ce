// The living records that a record of a user refers to or was learned from, and those that refer to it.
// mode: read
// params: user_id, id
// returns: relation, ref, kind, agent, title, text
CALL () {
  MATCH (m:Memory {id: $id})-[r:REFERS_TO|LEARNED_FROM {user_id: $user_id}]->(o:Memory)
  RETURN CASE type(r) WHEN 'REFERS_TO' THEN 'refers to' ELSE 'learned from' END AS relation, o
  UNION ALL
  MATCH (m:Memory {id: $id})<-[:REFERS_TO {user_id: $user_id}]-(o:Memory)
  RETURN 'referred to by' AS relation, o
}
WITH relation, o
WHERE o.user_id = $user_id
  AND @is_living(o)
RETURN DISTINCT relation, o.ref AS ref, o.record_kind AS kind, o.agent AS agent, o.title AS title, o.text AS text
ORDER BY relation, ref
