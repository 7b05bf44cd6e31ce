// How many storylines and macros a user's graph holds, for the report of a run.
// mode: read
// params: user_id
// returns: storylines, macros
CALL () {
  MATCH (t:Storyline {user_id: $user_id})
  WHERE @in_use(t)
  RETURN count(t) AS storylines
}
CALL () {
  MATCH (m:Macro {user_id: $user_id})
  WHERE @in_use(m)
  RETURN count(m) AS macros
}
RETURN storylines, macros
