// Unlink macros from storylines that they no longer group. Links only: no memory goes here.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (m:Macro {id: row.id, user_id: $user_id})
MATCH (m)-[g:GROUPS]->(t:Storyline)
WHERE NOT t.id IN row.kept_ids
@removed_links(row.id, g)
