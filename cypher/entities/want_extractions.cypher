// That a user wants these sources extracted (004, Per-User Extraction): of those that the user may read, the ones
// that nobody has asked for yet. What was extracted before is left as it is.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
  AND @source_in_use(s)
MERGE (x:Extraction {id: row.id, user_id: $user_id})
ON CREATE SET x.source_id = row.source_id,
  x.status = 'wanted',
  x.fingerprint = ''
RETURN x.id AS id
