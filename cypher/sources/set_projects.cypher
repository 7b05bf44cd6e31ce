// Which project sources are of. What their owner has given holds, the last word of it; of what was found the first by name,
// whichever file came first.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WITH s, row
WHERE row.project_is_given
  OR s.project IS NULL
  OR (NOT coalesce(s.project_is_given, false) AND row.project < s.project)
SET s.project = row.project,
  s.project_is_given = row.project_is_given
RETURN s.id AS id
