// What is stated where something of it is archived: of some turns of sources that the user may read those with archived
// statements, each with the words of all of its statements and whether they are in use, or stand behind a note: of these the
// source says which turns are read.
// mode: read
// params: rows, user_id, user_ids
// returns: source_id, turn, words, in_use
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE r.turn IN row.turns
WITH s.id AS source_id, r.turn AS turn, coalesce(r.content, '') AS content, (@in_use(c) OR c.folded_by IS NOT NULL) AS in_use
WITH source_id, turn, collect(content) AS words, collect(in_use) AS in_use
WHERE any(one IN in_use WHERE NOT one)
RETURN source_id, turn, words, in_use
