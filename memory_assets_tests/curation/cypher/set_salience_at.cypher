// Since when a memory fades.
MATCH (m:Memory {id: $id, user_id: $user_id})
SET m.salience_at = datetime($at)
