// Everybody who owns a source or belongs to a team, teams included: the keys of the owners' partitions.
// mode: read
// params: -
// returns: user_id, sources
// owner: no, counts per owner for the whole installation; no content
CALL () {
  MATCH (s:Source)
  RETURN s.user_id AS user_id, count(s) AS sources
  UNION ALL
  MATCH (u:User)
  RETURN u.user_id AS user_id, 0 AS sources
  UNION ALL
  MATCH (t:Team)
  RETURN t.user_id AS user_id, 0 AS sources
}
RETURN user_id, sum(sources) AS sources
ORDER BY user_id
