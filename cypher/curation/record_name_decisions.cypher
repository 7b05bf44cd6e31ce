// Who decided that two names mean one person, or two: kept beside what is retired.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
@audit(row.memory_id, 'Person', row.action)
RETURN a.id AS id
