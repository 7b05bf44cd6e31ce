MATCH (m:Memory {id: $id})
WHERE m.user_id = $user_id
SET m += $properties
