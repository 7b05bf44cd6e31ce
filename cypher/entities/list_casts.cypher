// Who takes part in the given sources: who speaks, and with which addresses.
// mode: read
// params: user_ids, ids
// returns: id, cast
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
RETURN s.id AS id,
  coalesce(s.speakers, s.participants, []) + coalesce(s.addresses, []) AS cast
ORDER BY id
