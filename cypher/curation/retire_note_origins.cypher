// Unlink notes from sources of which a step does not take them any more. Links only: no memory goes here.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)<-[t:TAKEN_FROM {user_id: $user_id, step: row.step}]-(n:Note)
WHERE NOT n.id IN row.kept_ids
@removed_links(row.source_id, t)
