// Each row's memory of the user's (m), which nobody else writes from here on until the transaction ends (holds).
// takes: -
UNWIND $rows AS row
@owned_memory(row.id)
@holds(m)
WITH row, m
