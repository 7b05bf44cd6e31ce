// Unlink sources from anchors that their latest extraction no longer names. Links only: no memory goes here.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE n.user_id = $user_id
  AND NOT coalesce(m.name_id, '') IN row.kept_ids
@removed_links(row.source_id, m)
