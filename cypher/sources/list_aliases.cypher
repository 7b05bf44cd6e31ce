// The sources that were masked after they had their id, with the id that their content would give today.
// mode: read
// params: user_id
// returns: id, masked_as
MATCH (s:Source {user_id: $user_id})
WHERE s.masked_as IS NOT NULL
RETURN s.id AS id, s.masked_as AS masked_as
ORDER BY id
