// What a record leaves behind that is pruned, merged or removed: its source, where that is in use, says that this version of it does not come back,
// and what it is linked to is looked at again.
// takes: memory
OPTIONAL MATCH (memory)-[:RECORDED_IN {user_id: $user_id}]->(source:Source)
WHERE @source_in_use(source)
SET source.pruned_records =
  [known IN coalesce(source.pruned_records, []) WHERE known <> memory.id + '|' + coalesce(memory.fingerprint, '')]
  + [memory.id + '|' + coalesce(memory.fingerprint, '')]
WITH DISTINCT row, memory
OPTIONAL MATCH (memory)-[:REFERS_TO|LEARNED_FROM {user_id: $user_id}]-(other:Memory)
WHERE other.tombstone IS NULL
SET @is_due_now(other)
WITH DISTINCT row, memory
