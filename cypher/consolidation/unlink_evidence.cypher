// Unlink notes from the statements on which they rest by a consolidation that is taken back. Links only.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
MATCH (n)-[e:RESTS_ON {user_id: $user_id, consolidation_id: row.consolidation_id}]->(:KnowledgeChunk)
WITH row.id AS id, collect(e) AS links
FOREACH (e IN links | DELETE e)
RETURN id
