// The sources of an owner in which something was masked, or which hold personal data: what, never which.
// mode: read
// params: user_id
// returns: id, title, masked, masked_count, personal_data
MATCH (s:Source {user_id: $user_id})
WHERE s.masked_count > 0 OR s.personal_data <> '[]' OR s.title CONTAINS '[masked: '
RETURN s.id AS id, s.title AS title, s.masked AS masked, coalesce(s.masked_count, 0) AS masked_count,
  s.personal_data AS personal_data
