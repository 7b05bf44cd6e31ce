// From whom to whom: the anchors that a relationship's names mean now.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (r:Relationship {id: row.id, user_id: $user_id})
OPTIONAL MATCH (f:AnchorName {name_id: coalesce(r.from_name_id, ''), user_id: $user_id})
OPTIONAL MATCH (t:AnchorName {name_id: coalesce(r.to_name_id, ''), user_id: $user_id})
WITH r, coalesce(f.resolved_id, r.from_name_id) AS from_id, coalesce(t.resolved_id, r.to_name_id) AS to_id
MATCH (a:Memory {id: from_id, user_id: $user_id})
MATCH (b:Memory {id: to_id, user_id: $user_id})
MERGE (r)-[:RELATES_FROM {user_id: $user_id}]->(a)
MERGE (r)-[:RELATES_TO {user_id: $user_id}]->(b)
RETURN r.id AS id
