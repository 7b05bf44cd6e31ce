// What a cycle of curation did for a user, in figures.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (c:CurationCycleSummary {id: row.id, user_id: $user_id})
SET c += row,
  c.at = datetime($now)
RETURN c.id AS id
