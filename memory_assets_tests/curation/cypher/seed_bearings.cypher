// Relationships of statements that seed_links does not write, as their rooms do; notes, manifests and values are made.
UNWIND $rows AS row
FOREACH (x IN CASE WHEN row.type = 'RESTS_ON' THEN [1] ELSE [] END |
  MERGE (n:Note {id: row.start_id})
  SET n.user_id = $user_id
)
FOREACH (x IN CASE WHEN row.type = 'LISTS' THEN [1] ELSE [] END |
  MERGE (n:BoundedMemoryManifest {id: row.start_id})
  SET n.user_id = $user_id
)
FOREACH (x IN CASE WHEN row.type = 'HAS_VALUE' THEN [1] ELSE [] END |
  MERGE (n:ValueClassification {id: row.end_id})
  SET n.user_id = $user_id,
    n.rank_key = row.end_id
)
WITH row
OPTIONAL MATCH (n:Note {id: row.start_id})
OPTIONAL MATCH (b:BoundedMemoryManifest {id: row.start_id})
OPTIONAL MATCH (m:Memory {id: row.start_id})
OPTIONAL MATCH (o:Memory {id: row.end_id})
OPTIONAL MATCH (v:ValueClassification {id: row.end_id})
FOREACH (x IN CASE WHEN row.type = 'RESTS_ON' THEN [1] ELSE [] END |
  MERGE (n)-[:RESTS_ON {user_id: $user_id, consolidation_id: 'k1'}]->(o)
)
FOREACH (x IN CASE WHEN row.type = 'LISTS' THEN [1] ELSE [] END |
  MERGE (b)-[l:LISTS]->(o)
  SET l.section = 'insights',
    l.position = 3
)
FOREACH (x IN CASE WHEN row.type = 'HAS_VALUE' THEN [1] ELSE [] END |
  MERGE (m)-[:HAS_VALUE]->(v)
)
FOREACH (x IN CASE WHEN row.type = 'SUPERSEDES' THEN [1] ELSE [] END |
  MERGE (m)-[r:SUPERSEDES {user_id: $user_id}]->(o)
  SET r.outdated = 'perhaps'
)
FOREACH (x IN CASE WHEN row.type = 'CONTRADICTS' THEN [1] ELSE [] END |
  MERGE (m)-[r:CONTRADICTS {user_id: $user_id}]->(o)
  SET r.kind = 'word'
)
