// Relationships between memories, as the records step and the extraction write them.
UNWIND $rows AS row
MATCH (a:Memory {id: row.start_id})
MATCH (b:Memory {id: row.end_id})
FOREACH (x IN CASE WHEN row.type = 'REFERS_TO' THEN [1] ELSE [] END | MERGE (a)-[:REFERS_TO {user_id: $user_id}]->(b))
FOREACH (x IN CASE WHEN row.type = 'LEARNED_FROM' THEN [1] ELSE [] END | MERGE (a)-[:LEARNED_FROM {user_id: $user_id}]->(b))
FOREACH (x IN CASE WHEN row.type = 'RECORDED_IN' THEN [1] ELSE [] END | MERGE (a)-[:RECORDED_IN {user_id: $user_id}]->(b))
FOREACH (x IN CASE WHEN row.type = 'ABOUT' THEN [1] ELSE [] END | MERGE (a)-[:ABOUT {user_id: $user_id}]->(b))
FOREACH (x IN CASE WHEN row.type = 'STATES' THEN [1] ELSE [] END |
  MERGE (a)-[r:STATES {user_id: $user_id}]->(b)
  SET r.turn = 1,
    r.position = 0.25,
    r.about = ['name:a', 'name:b'],
    r.judged = true,
    r.content = 'The words.',
    r.found_at = datetime('2026-03-01T09:00:00.125Z')
)
