// An agent reads a record.
MATCH (m:Memory {id: $id, user_id: $user_id})
SET m.access_count = m.access_count + 1,
  m.version = coalesce(m.version, 0) + 1
RETURN m.id AS id
