// Point mentions to whom their names mean now. The name they came by stays with them.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE s.user_id IN $user_ids
MATCH (old:Memory {id: row.old_id, user_id: $user_id})
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(old)
WHERE m.name_id = row.name_id
MATCH (new:Memory {id: row.new_id, user_id: $user_id})
WITH s, collect({new: new, name_id: row.name_id, link: m}) AS moves
MATCH (s)-[:MENTIONS {user_id: $user_id}]->(beside:Memory)
SET @becomes_untold(beside, true, s.started_at)
WITH DISTINCT s, moves
UNWIND moves AS move
WITH s, move.new AS new, move.name_id AS name_id, move.link AS m
MERGE (s)-[x:MENTIONS {user_id: $user_id, name_id: name_id}]->(new)
SET x.name = m.name,
  x.started_at = s.started_at,
  x.confidence = m.confidence,
  x.subpoints = m.subpoints
WITH new.id AS id, collect(m) AS links
FOREACH (m IN links | DELETE m)
RETURN id
