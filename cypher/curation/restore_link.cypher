// A relationship of a memory that is back, or of the one that it was merged into, as it was, where its other end is there; of
// a source that was removed or withdrawn, or that the user may read no more, none comes back.
// Types are no parameters on the embedded engine, so that each one is written out.
// mode: write
// params: user_id, user_ids, now, restored_id, id, other_id, type, is_out, properties, instants
// returns: id
MATCH (m:Memory {id: $id})
WHERE m.user_id = $user_id
  AND EXISTS { MATCH (back:Memory {id: $restored_id}) WHERE back.restored_at = datetime($now) }
MATCH (o:Memory {id: $other_id})
WHERE NOT $type IN ['RECORDED_IN', 'STATES']
  OR (@may_read(o) AND @source_in_use(o))
WITH m, CASE WHEN $is_out THEN m ELSE o END AS a, CASE WHEN $is_out THEN o ELSE m END AS b
FOREACH (x IN CASE $type WHEN 'RECORDED_IN' THEN [1] ELSE [] END | MERGE (a)-[:RECORDED_IN {user_id: $user_id}]->(b))
FOREACH (x IN CASE $type WHEN 'REFERS_TO' THEN [1] ELSE [] END | MERGE (a)-[:REFERS_TO {user_id: $user_id}]->(b))
FOREACH (x IN CASE $type WHEN 'LEARNED_FROM' THEN [1] ELSE [] END | MERGE (a)-[:LEARNED_FROM {user_id: $user_id}]->(b))
FOREACH (x IN CASE $type WHEN 'STATES' THEN [1] ELSE [] END | MERGE (a)-[:STATES {user_id: $user_id}]->(b))
FOREACH (x IN CASE $type WHEN 'ABOUT' THEN [1] ELSE [] END | MERGE (a)-[:ABOUT {user_id: $user_id}]->(b))
FOREACH (x IN CASE $type WHEN 'SUPERSEDES' THEN [1] ELSE [] END | MERGE (a)-[:SUPERSEDES {user_id: $user_id}]->(b))
FOREACH (x IN CASE $type WHEN 'CONTRADICTS' THEN [1] ELSE [] END | MERGE (a)-[:CONTRADICTS {user_id: $user_id}]->(b))
WITH m, a, b
MATCH (a)-[r]->(b)
WHERE type(r) = $type
  AND r.user_id = $user_id
SET r = $properties
FOREACH (key IN keys($instants) | SET r[key] = datetime($instants[key]))
RETURN DISTINCT m.id AS id
