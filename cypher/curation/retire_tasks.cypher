// Remove tasks that their giver has taken back, with an audit that holds them whole.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (t:HeartbeatTask {id: row.id, user_id: $user_id})
@audit(row.id, 'HeartbeatTask', 'withdraw')
SET a.snapshot = t.definition_json
WITH row, t
DETACH DELETE t
RETURN row.id AS id
