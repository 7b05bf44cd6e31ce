// The last of a memory's return: its source lets it come in again, what it is linked to is looked at again, the audits that held it
// say that it is back, and one says who did it.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
  AND m.restored_at = datetime($now)
@audit(row.id, row.label, 'restore')
SET a.restores = row.restores
WITH row, m
OPTIONAL MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(s:Source)
WITH row, m, s, [known IN coalesce(s.pruned_records, []) WHERE known <> row.id + '|' + coalesce(m.fingerprint, '')] AS left
SET s.pruned_records = CASE WHEN size(left) > 0 THEN left ELSE null END
WITH DISTINCT row, m
OPTIONAL MATCH (m)-[:REFERS_TO|LEARNED_FROM {user_id: $user_id}]-(o:Memory)
WHERE o.tombstone IS NULL
SET @is_due_now(o)
WITH DISTINCT row
UNWIND row.restores AS audit_id
MATCH (b:CurationAudit {id: audit_id, user_id: $user_id})
SET b.restored_at = datetime($now)
RETURN DISTINCT row.id AS id
