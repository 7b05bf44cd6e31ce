// The full contexts beside one: before and after it, the whole that it is part of, and its parts.
// mode: read
// params: id, user_id
// returns: relation, id, source_id
@owned_context($id)
CALL (c) {
  MATCH (c)-[:FOLLOWS]->(o:CompressedContext)
  RETURN 'follows' AS relation, o
  UNION ALL
  MATCH (c)<-[:FOLLOWS]-(o:CompressedContext)
  RETURN 'followed_by' AS relation, o
  UNION ALL
  MATCH (c)-[:PART_OF]->(o:CompressedContext)
  RETURN 'part_of' AS relation, o
  UNION ALL
  MATCH (c)<-[:PART_OF]-(o:CompressedContext)
  RETURN 'parts' AS relation, o
}
WITH relation, o
WHERE o.user_id = $user_id
RETURN relation, o.id AS id, o.source_id AS source_id
ORDER BY relation, id
