// Unlink sources from relationships that a step does not find in them any more. Links only: no memory goes here.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)-[p:SUPPORTS {user_id: $user_id, step: row.step}]->(r:Relationship)
WHERE NOT r.id IN row.kept_ids
@removed_links(row.source_id, p)
