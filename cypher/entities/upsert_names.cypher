// The names of a batch that are not there yet: each means itself until names are resolved.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MERGE (a:AnchorName {id: row.key})
ON CREATE SET a.user_id = $user_id,
  a.name_id = row.name_id,
  a.kind = row.kind,
  a.name = row.name,
  a.canonical_name = row.canonical_name,
  a.entity_type = row.entity_type,
  a.resolved_id = row.name_id,
  a.resolved_ids = [row.name_id],
  a.decided_by = 'rules',
  a.reason = 'a name of its own'
RETURN a.name_id AS id
