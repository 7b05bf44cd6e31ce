// What a memory that a user may read is part of for the user, and whom and what it is about.
// mode: read
// params: user_id, user_ids, id
// returns: relation, kind, id, ref, title
MATCH (m:Memory {id: $id})
WHERE @may_read(m)
CALL (m) {
  MATCH (m)<-[:GROUPS {user_id: $user_id}]-(a:Macro)
  RETURN 'part_of' AS relation, 'theme' AS kind, a
  UNION
  MATCH (m)<-[:INCLUDES {user_id: $user_id}]-(a:Storyline)
  RETURN 'part_of' AS relation, 'storyline' AS kind, a
  UNION
  MATCH (m)-[:ABOUT|ROOTED_IN|RELATES_FROM|RELATES_TO {user_id: $user_id}]->(a:Memory)
  RETURN 'about' AS relation, a.entity_type AS kind, a
}
RETURN relation, kind, a.id AS id, a.ref AS ref, coalesce(a.title, a.name) AS title
ORDER BY relation DESC, kind, title, id
