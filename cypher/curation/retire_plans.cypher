// Forget consolidations that were planned and are not to be carried out any more, or were taken back because what they
// were made of went. Bookkeeping only: no memory goes here.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (k:Consolidation {id: row.id, user_id: $user_id})
WITH k, k.id AS id
DETACH DELETE k
RETURN id
