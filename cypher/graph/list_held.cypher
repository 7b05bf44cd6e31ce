// What agents have recorded in some sources that a user may read, as holding between two days.
// mode: read
// params: user_id, user_ids, source_ids
// returns: source_id, ref, text, valid_from, valid_to
UNWIND $source_ids AS wanted
MATCH (s:Source {id: wanted})
WHERE @may_read(s)
MATCH (m:Memory)-[:RECORDED_IN {user_id: $user_id}]->(s)
WHERE m.user_id = $user_id
  AND m.record_kind IS NOT NULL
  AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)
  AND @is_living(m)
RETURN s.id AS source_id, m.ref AS ref, m.text AS text, m.valid_from AS valid_from, m.valid_to AS valid_to
ORDER BY source_id, ref
