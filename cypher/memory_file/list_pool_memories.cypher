// What memories of a pool say, as far as the user may read them; what is archived is in no file. Of a statement also how it is published (empty where it
// cannot be), of a source also its kind and title.
// mode: read
// params: user_ids, memory_ids
// returns: memory_id, ref, owner, text, statement, label, said_by_owner, embedding, lasting, source_type, source_title, is_bulk, known_at
UNWIND $memory_ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE @may_read(m)
  AND @in_use(m)
RETURN m.id AS memory_id,
  m.ref AS ref,
  m.user_id AS owner,
  CASE
    WHEN m:KnowledgeChunk THEN m.content
    WHEN m:Macro OR m:Storyline THEN @overview(m)
    ELSE m.summary
  END AS text,
  CASE WHEN m:KnowledgeChunk THEN coalesce(m.quotation, m.statement) END AS statement,
  CASE
    WHEN m:KnowledgeChunk THEN m.speaker
    WHEN m:Source THEN null
    ELSE m.title
  END AS label,
  coalesce(m.said_by_owner, false) AS said_by_owner,
  m.embedding AS embedding,
  m.lasting AS lasting,
  coalesce(m.source_type, '') AS source_type,
  CASE WHEN m:Source THEN coalesce(m.title, '') END AS source_title,
  CASE WHEN m:Source THEN coalesce(m.provenance, '') CONTAINS '"bulk": true' ELSE false END AS is_bulk,
  toString(m.created_at) AS known_at
