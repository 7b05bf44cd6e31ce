// Which names of a user mean somebody or something else than what they were made for, among some ids: by either of the two.
// mode: read
// params: user_id, ids
// returns: id, kept_id
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (a:AnchorName {name_id: wanted})
  RETURN a
  UNION
  MATCH (a:AnchorName {resolved_id: wanted})
  RETURN a
}
WITH DISTINCT a
WHERE a.user_id = $user_id
  AND NOT a.name_id IN a.resolved_ids
RETURN a.name_id AS id, a.resolved_id AS kept_id
ORDER BY id
