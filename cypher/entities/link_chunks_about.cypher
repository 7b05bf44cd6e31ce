// What statements are about, by all sources that make them.
// mode: write
// params: rows, user_id
// returns: id, anchor_id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(:Source)
UNWIND r.about AS anchor_id
WITH DISTINCT c, anchor_id
MATCH (n:Memory {id: anchor_id, user_id: $user_id})
MERGE (c)-[:ABOUT {user_id: $user_id}]->(n)
RETURN c.id AS id, anchor_id
