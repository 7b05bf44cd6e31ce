// Point mentions to whom their names mean now. The name they came by stays with them.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE s.user_id IN $user_ids
MATCH (old:Memory {id: row.old_id, user_id: $user_id})
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(old)
WHERE m.name_id = row.name_id
MATCH (new:Memory {id: row.new_id, user_id: $user_id})
MERGE (s)-[x:MENTIONS {user_id: $user_id, name_id: row.name_id}]->(new)
SET x.name = m.name,
  x.confidence = m.confidence,
  x.subpoints = m.subpoints
DELETE m
RETURN new.id AS id
