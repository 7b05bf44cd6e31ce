// The records that refer to one of these own ids and are linked to another record that has it: to be linked to these, too.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (o:Memory {record_id: row.record_id, user_id: $user_id})<-[r:REFERS_TO|LEARNED_FROM {user_id: $user_id}]-(m:Memory)
WHERE r.name = row.record_id
WITH DISTINCT m
SET m.unlinked = $user_id
RETURN m.id AS id
