// The relationships that start at the nodes with the given ids and end at a node of the owners in $user_ids:
// one page of an export. What carries an owner itself (a mention, made for one member of a team) must be
// $user_id's. No other node of an export begins one. The texts of sources are no nodes of an export, but properties of theirs
// (list_owned_texts).
// mode: read
// params: ids, user_id, user_ids
// returns: label, start_id, start_labels, end_id, end_labels, properties
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (a:Memory {id: wanted})-[r]->(b)
  RETURN a, r, b
  UNION ALL
  MATCH (a:Note {id: wanted})-[r]->(b)
  RETURN a, r, b
  UNION ALL
  MATCH (a:BoundedMemoryManifest {id: wanted})-[r]->(b)
  RETURN a, r, b
  UNION ALL
  MATCH (a:User {id: wanted})-[r]->(b)
  RETURN a, r, b
}
WITH a, r, b
WHERE NOT type(r) IN ['HAS_RAW_CONTENT', 'HAS_ORIGINAL_CONTENT', 'HAS_CONTENT', 'HAS_TURNS']
WITH a, r, b
WHERE @may_read(a)
  AND @may_read(b)
  AND (r.user_id IS NULL OR r.user_id = $user_id)
RETURN type(r) AS label,
  a.id AS start_id,
  labels(a) AS start_labels,
  b.id AS end_id,
  labels(b) AS end_labels,
  properties(r) AS properties
