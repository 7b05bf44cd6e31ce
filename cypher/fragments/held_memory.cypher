// Each row's memory of the user's (m), which nobody else writes from here on until the transaction ends (holds).
// takes: -
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
@holds(m)
WITH row, m
