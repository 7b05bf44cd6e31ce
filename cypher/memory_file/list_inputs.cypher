// What a user's memory file follows from: its values, which know every memory that is valued, its words and its sources.
// When they have not changed, the file has not.
// mode: read
// params: user_id
// returns: kind, id, mark
MATCH (st:StageState {user_id: $user_id})
WHERE st.stage = 'values'
RETURN 'stage' AS kind, st.id AS id, coalesce(st.fingerprint, '') AS mark
