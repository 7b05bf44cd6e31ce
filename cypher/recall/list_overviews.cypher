// What storylines and macros of a user say, and what it is by its meaning.
// mode: read
// params: user_id, ids
// returns: id, title, text, embedding, embedder
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND (m:Storyline OR m:Macro)
RETURN m.id AS id,
  coalesce(m.title, '') AS title,
  coalesce(m.overview, m.summary) AS text,
  m.embedding AS embedding,
  m.embedder AS embedder
