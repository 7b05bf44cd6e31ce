// Probes of the tests: the newest value counts.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MERGE (p:StageState {id: row.id, user_id: $user_id})
SET p.value = row.value,
  p.at = datetime(row.at)
RETURN p.id AS id
