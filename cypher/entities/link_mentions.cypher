// Which source names which anchor, by which name, when, and how: the values from which set_anchor_totals derives the anchor's.
// With the time, what is new of an anchor is found without a look at all of its sources.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MATCH (n:Memory {id: row.anchor_id, user_id: $user_id})
MERGE (s)-[m:MENTIONS {user_id: $user_id, name_id: row.name_id}]->(n)
SET m.name = row.name,
  m.started_at = s.started_at,
  m.confidence = row.confidence,
  m.subpoints = row.subpoints
RETURN n.id AS id
