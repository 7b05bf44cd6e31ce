// Remove tombstones for good, 30 days after they became that, with an audit that holds them whole. Until it goes, too, it can
// bring them back.
// Rails, again where the knife is (passes_rails). Not those that somebody has written since they were read.
// mode: write
// params: rows, user_id, now, born_before
// returns: id
@held_memory()
WHERE coalesce(m.version, 0) = row.version
  AND m.tombstone
  AND @passes_rails(m, $born_before)
@cut_audit(m, 'remove')
WITH row, m
@leaves_records(m)
OPTIONAL MATCH (m)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, m
RETURN row.id AS id
