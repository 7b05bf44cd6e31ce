// Which of some references or ids are those of sources that a user may read, a team's too.
// mode: read
// params: keys, user_ids
// returns: key
UNWIND $keys AS wanted
CALL (wanted) {
  MATCH (s:Source {id: wanted})
  WHERE @may_read(s)
    AND @source_in_use(s)
  RETURN s.id AS found
  UNION
  MATCH (m:Memory {ref: wanted})
  WHERE m:Source AND @may_read(m)
    AND @source_in_use(m)
  RETURN m.id AS found
}
RETURN DISTINCT wanted AS key
ORDER BY key
