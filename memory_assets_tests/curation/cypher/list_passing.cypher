// Those of some memories that no rail keeps, by the fragment that every cutting statement asks.
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND @passes_rails(m, $born_before)
RETURN m.id AS id
