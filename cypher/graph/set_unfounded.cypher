// Consolidations of a user that have lost what they are made of: no source makes a statement any more on which an insight
// of theirs rests, or which they have archived. The next run takes them back.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (c)<-[:STATES {user_id: $user_id}]-(:Source) }
OPTIONAL MATCH (c)<-[e:RESTS_ON {user_id: $user_id}]-(:Note)
WITH coalesce(c.folded_by, '') AS folded_by, collect(e.consolidation_id) AS drawn_by
UNWIND drawn_by + [folded_by] AS consolidation_id
MATCH (k:Consolidation {id: consolidation_id, user_id: $user_id})
SET k.is_unfounded = true
RETURN DISTINCT k.id AS id
