// The living records of a user by their agents' own ids; of one that was merged, the record that it was merged into.
// mode: read
// params: user_id, names
// returns: name, id
UNWIND $names AS wanted
MATCH (m:Memory {record_id: wanted, user_id: $user_id})
OPTIONAL MATCH (target:Memory {id: coalesce(m.merged_into, ''), user_id: $user_id})
WITH wanted, CASE WHEN @is_living(m) THEN m ELSE target END AS there
WHERE there IS NOT NULL
  AND @is_living(there)
RETURN DISTINCT wanted AS name, there.id AS id
