// Every relationship of some memories of a user, in both directions.
// mode: read
// params: user_id, ids
// returns: id, type, direction, other_id, other_labels, properties
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (m:Memory {id: wanted})-[r]->(o)
  WHERE m.user_id = $user_id
  RETURN r, o, 'out' AS direction
  UNION ALL
  MATCH (m:Memory {id: wanted})<-[r]-(o)
  WHERE m.user_id = $user_id
    AND o.id <> wanted
  RETURN r, o, 'in' AS direction
}
RETURN wanted AS id, type(r) AS type, direction, o.id AS other_id, labels(o) AS other_labels, properties(r) AS properties
