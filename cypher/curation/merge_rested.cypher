// Which notes rest on a merged statement: they rest on the one that it was merged into.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (n:Note)-[r:RESTS_ON {user_id: $user_id}]->(gone)
MERGE (n)-[k:RESTS_ON {user_id: $user_id, consolidation_id: coalesce(r.consolidation_id, '')}]->(kept)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
