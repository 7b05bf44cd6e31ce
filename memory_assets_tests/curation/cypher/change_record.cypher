// An agent writes while curation decides, as records/set_records does: what was condensed is no longer what was said.
MATCH (m:Memory {id: $id, user_id: $user_id})
SET m.text = $text,
  m.full_text = null,
  m.condensed_at = null,
  m.condensed_by = null,
  m.version = coalesce(m.version, 0) + 1
RETURN m.id AS id
