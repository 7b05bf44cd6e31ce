// What a storyline over sources says, and the macro that groups it: both are there.
// mode: write
// params: user_id, storyline_id, macro_id, source_ids, now
// returns: id
MATCH (t:Storyline {id: $storyline_id, user_id: $user_id})
SET t.title = 'The cello',
    t.summary = 'The cello became a weekly habit with a teacher.',
    t.source_count = 5,
    t.fingerprint = 'f1',
    t.last_source_at = datetime($now),
    t.unscored = $user_id
WITH t
MATCH (m:Macro {id: $macro_id, user_id: $user_id})
SET m.title = 'Music',
    m.overview = 'Music grew from a wish into concerts at the harbour church.',
    m.total_source_count = 9,
    m.fingerprint = 'f2',
    m.last_event_at = datetime($now),
    m.unscored = $user_id
MERGE (m)-[:GROUPS {user_id: $user_id}]->(t)
WITH t
UNWIND $source_ids AS source_id
MATCH (s:Source {id: source_id})
MERGE (t)-[:INCLUDES {user_id: $user_id}]->(s)
RETURN DISTINCT t.id AS id
