// The texts of a user's files as they were at the end of a day: of each file the last that was published until then.
// mode: read
// params: user_id, day
// returns: path, day, text
MATCH (v:FileVersion {user_id: $user_id})
WHERE v.day <= $day
WITH v.manifest_id AS manifest_id, max(v.day) AS day
MATCH (v:FileVersion {user_id: $user_id})
WHERE v.manifest_id = manifest_id
  AND v.day = day
RETURN v.path AS path, v.day AS day, v.text AS text
ORDER BY path
