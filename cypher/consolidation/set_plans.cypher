// What is to be consolidated, so that a person can read it before it is carried out; or what has become of it.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MERGE (k:Consolidation {id: row.id, user_id: $user_id})
SET k += row
RETURN k.id AS id
