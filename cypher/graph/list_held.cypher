// What agents have recorded in those of some sources, read by a user, that say of something between which days it holds: all of
// it, with its days where it has some. What always holds may say the same words.
// mode: read
// params: user_ids, source_ids
// returns: source_id, ref, text, valid_from, valid_to
UNWIND $source_ids AS wanted
MATCH (s:Source {id: wanted})
WHERE @may_read(s)
MATCH (m:Memory)-[r:RECORDED_IN]->(s)
WHERE r.user_id = s.user_id
  AND m.user_id = s.user_id
  AND m.record_kind IS NOT NULL
  AND @is_living(m)
WITH s, collect({ref: m.ref, text: m.text, valid_from: m.valid_from, valid_to: m.valid_to}) AS records
WHERE any(one IN records WHERE one.valid_from IS NOT NULL OR one.valid_to IS NOT NULL)
UNWIND records AS one
RETURN s.id AS source_id, one.ref AS ref, one.text AS text, one.valid_from AS valid_from, one.valid_to AS valid_to
ORDER BY source_id, ref
