// Which sources that a user may read a reference means.
// mode: read
// params: ref, user_ids
// returns: id
MATCH (s:Memory {ref: $ref})
WHERE s:Source
  AND @may_read(s)
  AND @source_in_use(s)
RETURN s.id AS id
ORDER BY id
