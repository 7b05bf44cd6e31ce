// Always refused by an engine, after the statement was accepted.
// mode: write
// params: user_id
// returns: id
MERGE (p:StageState {id: $user_id, user_id: $user_id})
SET p.value = 1 / 0
RETURN p.id AS id
