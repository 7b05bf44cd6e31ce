// From which content the records of sources were made; null: they have none any more.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
SET s.recorded_fingerprint = row.recorded
RETURN s.id AS id
