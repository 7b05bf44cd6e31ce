// Consolidations of a user that have lost what they are made of: no source that an insight of theirs is taken from makes a
// statement any more on which it rests, or no source one which they have archived. The next run takes them back.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
OPTIONAL MATCH (c)<-[e:RESTS_ON {user_id: $user_id}]-(n:Note)
WHERE NOT EXISTS {
  MATCH (c)<-[:STATES {user_id: $user_id}]-(:Source)<-[:TAKEN_FROM {user_id: $user_id}]-(n)
}
WITH c, collect(e.consolidation_id) AS drawn_by
WITH drawn_by, coalesce(c.folded_by, '') AS folded_by,
  EXISTS { MATCH (c)<-[:STATES {user_id: $user_id}]-(:Source) } AS is_stated
UNWIND drawn_by + CASE WHEN is_stated THEN [] ELSE [folded_by] END AS consolidation_id
MATCH (k:Consolidation {id: consolidation_id, user_id: $user_id})
SET k.is_unfounded = true,
  k.unchecked = $user_id
RETURN DISTINCT k.id AS id
