MATCH (m:Memory {id: $id})
WHERE m.user_id = $user_id
DETACH DELETE m
