// Whom or what a note is about: the relationship, or the anchor that its name stands for now.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
OPTIONAL MATCH (a:AnchorName {id: n.name_id, user_id: $user_id})
WITH n, coalesce(n.relationship_id, a.resolved_id, n.name_id) AS subject_id
MATCH (m:Memory {id: subject_id, user_id: $user_id})
MERGE (m)-[:HAS_NOTE {user_id: $user_id}]->(n)
RETURN n.id AS id
