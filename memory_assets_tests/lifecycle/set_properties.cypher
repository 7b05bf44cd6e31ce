// Set what a test is about, as whoever writes it would.
MATCH (m:Memory {id: $id, user_id: $user_id})
SET m += $properties,
  m.unaged = $user_id
