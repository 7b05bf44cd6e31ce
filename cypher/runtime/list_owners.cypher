// Everybody who has ever given a source or a task or belongs to a team, teams included: the keys of the owners' partitions.
// Reads one row per owner, not their sources.
// mode: read
// params: -
// returns: user_id
// owner: no, names of owners for the whole installation; no content
CALL () {
  MATCH (x:StageState {stage: 'mark/raw_sources'})
  RETURN x.user_id AS user_id
  UNION
  MATCH (u:User)
  RETURN u.user_id AS user_id
  UNION
  MATCH (t:Team)
  RETURN t.user_id AS user_id
  UNION
  MATCH (r:HeartbeatTaskRegistry)
  RETURN r.user_id AS user_id
}
RETURN DISTINCT user_id
ORDER BY user_id
