// When records were retrieved lately, and by which agents: what curation decides of them follows from it.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.recent_accesses = row.recent_accesses,
  m.accessed_by = row.accessed_by,
  @becomes_due(m)
RETURN m.id AS id
