// The memories behind a draft's entries, read from the graph independently of the draft: whose they are
// and what they say; of a statement also how it is published.
// mode: read
// params: user_id, memory_ids
// returns: memory_id, owner, is_own, text, statement
UNWIND $memory_ids AS wanted
MATCH (m:Memory {id: wanted})
RETURN m.id AS memory_id,
  m.user_id AS owner,
  m.user_id = $user_id AS is_own,
  CASE
    WHEN m:KnowledgeChunk THEN m.content
    WHEN m:Macro OR m:Storyline THEN @overview(m)
    ELSE m.summary
  END AS text,
  CASE WHEN m:KnowledgeChunk THEN coalesce(m.quotation, m.statement) END AS statement
