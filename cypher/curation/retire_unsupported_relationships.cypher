// Retire relationships that no source supports any more, with an audit that can bring them back.
// Rails, checked again as it deletes: not `keep_forever`, not core, never recalled; unknown forbids it.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (r:Relationship {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (r)<-[:SUPPORTS {user_id: $user_id}]-(:Source) }
  AND @may_retire(r)
@retirement_audit(r)
WITH row, r
@leaves_notes(r)
DETACH DELETE r
RETURN row.id AS id
