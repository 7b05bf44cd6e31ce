// Unlink storylines from sources that they no longer include. Links only: no memory goes here.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (t:Storyline {id: row.id, user_id: $user_id})
MATCH (t)-[i:INCLUDES]->(s:Source)
WHERE s.id IN row.gone_ids
@removed_links(row.id, i)
