// Remove notifications and sessions that have expired, without a tombstone (001, TTL Rules), with an audit that holds them whole.
// Rails, again where the knife is (passes_rails). Not those that somebody has written since they were read.
// mode: write
// params: rows, user_id, now, born_before
// returns: id
@held_memory()
WHERE (m:Notification OR m:SessionContext)
  AND coalesce(m.version, 0) = row.version
  AND m.tombstone IS NULL
  AND @passes_rails(m, $born_before)
@cut_audit(m, 'remove')
WITH row, m
@leaves_records(m)
DETACH DELETE m
RETURN row.id AS id
