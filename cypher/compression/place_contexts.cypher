// The parents and children of full contexts (000), and what that follows from.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_context(row.id)
SET c.parent_context_id = row.parent,
  c.child_context_ids = row.children,
  c.arrangement = row.arrangement
RETURN c.id AS id
