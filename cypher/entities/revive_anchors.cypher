// Anchors that are back after their names were split again: what they were, and their storylines and macros.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
SET n.state = row.state,
  n.created_at = coalesce(datetime(row.created_at), n.created_at),
  n.salience = row.salience,
  n.has_meso = row.has_meso,
  n.has_macro = row.has_macro
WITH n
OPTIONAL MATCH (t:Storyline {user_id: $user_id, anchor_id: n.id})
FOREACH (storyline IN CASE WHEN t IS NULL THEN [] ELSE [t] END | MERGE (storyline)-[:ABOUT {user_id: $user_id}]->(n))
WITH DISTINCT n
OPTIONAL MATCH (m:Macro {user_id: $user_id, anchor_id: n.id})
FOREACH (theme IN CASE WHEN m IS NULL THEN [] ELSE [m] END | MERGE (theme)-[:ROOTED_IN {user_id: $user_id}]->(n))
RETURN DISTINCT n.id AS id
