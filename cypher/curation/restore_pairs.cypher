// Of two memories that were merged and are two again: they stay apart, since a person said so.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (p:DuplicatePair {id: row.id, user_id: $user_id})
WHERE p.audit_id IN row.audit_ids
  AND EXISTS { MATCH (m:Memory {id: p.merged_id}) WHERE m.restored_at = datetime($now) }
SET p.status = 'kept',
  p.decided_at = datetime($now),
  p.decided_by = row.decided_by
RETURN p.id AS id
