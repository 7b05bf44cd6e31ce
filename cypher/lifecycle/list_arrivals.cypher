// When it arrived what some memories of a user are from, later than an instant each, or ever: the sources, of those that the
// user may read, that state, mention or support one; the source itself; those that a storyline includes; those of the
// storylines that a macro groups. A source that grows has arrived several times.
// mode: read
// params: rows, user_id, user_ids
// returns: memory_id, arrived_at
UNWIND $rows AS row
CALL (row) {
  MATCH (:Memory {id: row.id, user_id: $user_id})<-[:STATES|MENTIONS|SUPPORTS {user_id: $user_id}]-(s:Source)
  RETURN s
  UNION ALL
  MATCH (s:Source {id: row.id, user_id: $user_id})
  RETURN s
  UNION ALL
  MATCH (:Storyline {id: row.id, user_id: $user_id})-[:INCLUDES {user_id: $user_id}]->(s:Source)
  RETURN s
  UNION ALL
  MATCH (:Macro {id: row.id, user_id: $user_id})-[:GROUPS {user_id: $user_id}]->(:Storyline)
    -[:INCLUDES {user_id: $user_id}]->(s:Source)
  RETURN s
}
WITH row, s
WHERE @may_read(s)
  AND (row.since IS NULL OR coalesce(s.ingested_at, s.created_at) > datetime(row.since))
UNWIND CASE
    WHEN s.arrivals IS NULL THEN [coalesce(s.ingested_at, s.created_at)]
    ELSE [arrival IN s.arrivals | datetime(arrival)]
  END AS arrived_at
RETURN row.id AS memory_id, collect(DISTINCT arrived_at) AS arrived_at
