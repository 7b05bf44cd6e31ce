// Storylines of a user, each over a few sources.
// mode: write
// params: rows, user_id
// returns: made
UNWIND $rows AS row
CREATE (t:Memory:Storyline {
  id: row.id, user_id: $user_id, ref: row.ref, title: row.title, summary: row.title, state: 'active',
  first_source_at: datetime(row.at), last_source_at: datetime(row.at), source_count: size(row.source_ids)
})
WITH t, row
UNWIND row.source_ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
CREATE (t)-[:INCLUDES {user_id: $user_id}]->(s)
RETURN count(DISTINCT t) AS made
