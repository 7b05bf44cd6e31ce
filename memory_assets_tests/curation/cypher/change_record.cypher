// An agent writes while curation decides.
MATCH (m:Memory {id: $id, user_id: $user_id})
SET m.text = $text,
  m.version = coalesce(m.version, 0) + 1
RETURN m.id AS id
