// In which sources of a user curation has pruned versions of some records. It reads a line of each source that records are:
// asked where a record is gone that an older version of is left.
// mode: read
// params: user_id, ids
// returns: source_id
MATCH (s:Source {user_id: $user_id, source_type: 'record'})
WHERE s.pruned_records IS NOT NULL
  AND any(pruned IN s.pruned_records WHERE any(wanted IN $ids WHERE pruned STARTS WITH wanted + '|'))
RETURN s.id AS source_id
