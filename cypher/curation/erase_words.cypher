// Put texts without erased words in the place of those that had them, on nodes that stay. A source may be called otherwise then,
// and have another place among the others.
// mode: write
// params: rows, user_ids
// returns: id
UNWIND $rows AS row
MATCH (n)
WHERE n.id = row.id
  AND n.user_id IN $user_ids
SET n += row
@contexts_unmade(n)
RETURN row.id AS id
