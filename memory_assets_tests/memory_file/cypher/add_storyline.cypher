// A storyline over sources, and the macro that groups it.
// mode: write
// params: user_id, storyline_id, storyline_ref, macro_id, macro_ref, source_ids, now
// returns: id
MERGE (t:Memory:Storyline {id: $storyline_id, user_id: $user_id})
SET t.ref = $storyline_ref,
    t.title = 'The cello',
    t.summary = 'The cello became a weekly habit with a teacher.',
    t.source_count = 5,
    t.access_count = 0,
    t.fingerprint = 'f1',
    t.last_source_at = datetime($now),
    t.state = 'candidate',
    t.unscored = $user_id,
    t.created_at = datetime($now)
MERGE (m:Memory:Macro {id: $macro_id, user_id: $user_id})
SET m.ref = $macro_ref,
    m.title = 'Music',
    m.overview = 'Music grew from a wish into concerts at the harbour church.',
    m.total_source_count = 9,
    m.access_count = 0,
    m.fingerprint = 'f2',
    m.last_event_at = datetime($now),
    m.state = 'candidate',
    m.unscored = $user_id,
    m.created_at = datetime($now)
MERGE (m)-[:GROUPS]->(t)
WITH t
UNWIND $source_ids AS source_id
MATCH (s:Source {id: source_id})
MERGE (t)-[:INCLUDES]->(s)
RETURN DISTINCT t.id AS id
