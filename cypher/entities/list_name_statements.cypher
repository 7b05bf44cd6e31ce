// The first statements about each of some names: what a model may judge a pair by.
// mode: read
// params: user_id, keys
// returns: id, statements
UNWIND $keys AS key
MATCH (a:AnchorName {id: key, user_id: $user_id})
UNWIND a.resolved_ids AS anchor_id
MATCH (n:Memory {id: anchor_id, user_id: $user_id})
MATCH (n)<-[m:MENTIONS {user_id: $user_id}]-(s:Source)
WHERE m.name_id = a.name_id
MATCH (s)-[r:STATES {user_id: $user_id}]->(:KnowledgeChunk)
WHERE a.name_id IN r.about
WITH DISTINCT a.name_id AS id, r.content AS content, coalesce(toString(s.started_at), '9999') AS at
ORDER BY id, at, content
RETURN id, collect(content)[0..3] AS statements
