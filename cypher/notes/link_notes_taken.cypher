// Which step took which note from which source, for how long it is to be kept, and who took it: what
// set_note_totals derives from.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE s.user_id IN $user_ids
MATCH (n:Note {id: row.id, user_id: $user_id})
MERGE (n)-[t:TAKEN_FROM {user_id: $user_id, step: row.step}]->(s)
SET t.lifetime_rank = row.lifetime_rank,
  t.added_by = row.added_by
RETURN n.id AS id
