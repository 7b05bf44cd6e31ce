// What people have decided about a user's statements that contradict each other, with what was known of that before.
// mode: read
// params: user_id
// returns: id, one_id, other_id, resolution, note, before, about, at, merged_id, source_id
MATCH (d:Decision {user_id: $user_id, kind: 'contradiction'})
WHERE d.is_in_force
RETURN d.id AS id, d.memory_id AS one_id, d.other_id AS other_id, d.action AS resolution, d.reason AS note,
  d.before AS before, d.about AS about, toString(d.at) AS at,
  d.merged_id AS merged_id, d.source_id AS source_id
ORDER BY at DESC, id
