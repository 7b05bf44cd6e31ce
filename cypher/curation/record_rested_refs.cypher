// What of a user's memories rests on a source alone, or quotes it: its statements that no other source makes, its storylines
// and their macros, stored by their references with a source that is removed, so that no old file shows them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
OPTIONAL MATCH (s)-[:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE NOT EXISTS {
  MATCH (c)<-[:STATES {user_id: $user_id}]-(other:Source)
  WHERE other.id <> row.id
}
WITH s, collect(DISTINCT c.ref) AS stated
OPTIONAL MATCH (s)<-[:INCLUDES]-(t:Storyline {user_id: $user_id})
OPTIONAL MATCH (t)<-[:GROUPS]-(m:Macro {user_id: $user_id})
WITH s, stated, collect(DISTINCT t.ref) AS storylines, collect(DISTINCT m.ref) AS grouped
SET s.rested_refs = [ref IN [s.ref] + stated + storylines + grouped WHERE ref IS NOT NULL]
RETURN s.id AS id
