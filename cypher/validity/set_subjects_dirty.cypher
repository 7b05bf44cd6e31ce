// The subjects noted in the words of statements that were judged, or by insights that rest on one, are to be described
// anew.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
OPTIONAL MATCH (c)<-[r:STATES {user_id: $user_id}]-(:Source)<-[:TAKEN_FROM {user_id: $user_id}]-(worded:Note)
WHERE worded.content CONTAINS r.content
WITH c, collect(DISTINCT worded) AS noted
OPTIONAL MATCH (c)<-[:RESTS_ON {user_id: $user_id}]-(insight:Note)
WITH noted, collect(DISTINCT insight) AS drawn
UNWIND noted + drawn AS n
MATCH (m:Memory)-[:HAS_NOTE {user_id: $user_id}]->(n)
WITH DISTINCT m
SET @becomes_dirty(m, $now)
RETURN m.id AS id
