// Retire relationships that no source supports any more, with an audit that can bring them back.
// Rails, again where the knife is: not kept forever, not core, never recalled; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (r:Relationship {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (r)<-[:SUPPORTS {user_id: $user_id}]-(:Source) }
  AND @may_retire(r)
@retirement_audit(r)
WITH row, r
DETACH DELETE r
RETURN row.id AS id
