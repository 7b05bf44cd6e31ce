// The value of a merged memory is on no shelf: when the memory is restored, it is scored again.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
  AND @was_merged(gone, row.audit_id)
MATCH (gone)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
SET v.rank_key = null,
  v.standing_key = null,
  v.rescore_key = null
RETURN v.id AS id
