// Forget names that no source uses any more. Bookkeeping of names only: no memory goes here.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (a:AnchorName {id: row.key, user_id: $user_id})
UNWIND a.resolved_ids AS anchor_id
OPTIONAL MATCH (n:Memory {id: anchor_id, user_id: $user_id})<-[m:MENTIONS {user_id: $user_id, name_id: row.id}]-(:Source)
WITH a, count(m) AS uses
WHERE uses = 0
WITH a, a.name_id AS id
DELETE a
RETURN id
