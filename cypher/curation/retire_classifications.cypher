// Remove classifications whose memory is gone, archived or no longer readable for the user. They are
// satellites, made again from the memory at any time: no rail protects them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (vc:ValueClassification {id: row.id, user_id: $user_id})
WITH vc, vc.id AS id
DETACH DELETE vc
RETURN id
