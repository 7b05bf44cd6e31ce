// Put texts without erased words in the place of those that had them, on nodes that stay.
// mode: write
// params: rows, user_ids
// returns: id
UNWIND $rows AS row
MATCH (n)
WHERE n.id = row.id
  AND n.user_id IN $user_ids
SET n += row
RETURN row.id AS id
