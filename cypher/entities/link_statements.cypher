// Which source makes which statement, where and in which words: what set_chunk_totals derives from.
// Merged from the statement: it has few sources, but a source may have a thousand statements.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MATCH (c:KnowledgeChunk {id: row.chunk_id, user_id: $user_id})
MERGE (c)<-[r:STATES {user_id: $user_id}]-(s)
SET r.turn = row.turn,
  r.turns = CASE WHEN size(row.turns) > 0 THEN row.turns ELSE null END,
  r.said_at = CASE WHEN row.said_at IS NULL THEN null ELSE datetime(row.said_at) END,
  r.first_said_at = CASE WHEN row.first_said_at IS NULL THEN null ELSE datetime(row.first_said_at) END,
  r.position = row.position,
  r.excerpt = row.excerpt,
  r.content = row.content,
  r.statement = row.statement,
  r.quotation = row.quotation,
  r.token_count = row.token_count,
  r.speaker = row.speaker,
  r.content_type = row.content_type,
  r.durability = row.durability,
  r.lasting = row.lasting,
  r.confidence = row.confidence,
  r.is_instruction = row.is_instruction,
  r.said_by_owner = row.said_by_owner,
  r.has_personal_data = row.has_personal_data,
  r.about = row.about,
  r.judged = row.judged
RETURN c.id AS id
