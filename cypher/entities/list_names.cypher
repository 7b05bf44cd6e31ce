// All names of an owner, with whom they mean.
// mode: read
// params: user_id
// returns: id, kind, name, canonical_name, entity_type, resolved_id, resolved_ids, decided_by, reason
MATCH (a:AnchorName {user_id: $user_id})
RETURN a.name_id AS id, a.kind AS kind, a.name AS name, a.canonical_name AS canonical_name,
  a.entity_type AS entity_type, a.resolved_id AS resolved_id, a.resolved_ids AS resolved_ids,
  a.decided_by AS decided_by, a.reason AS reason
ORDER BY id
