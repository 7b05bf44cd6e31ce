// What a storyline or macro has that was made anew: how sure, how long, its vector, by whom, and that it is to be looked at.
// takes: overview
overview.confidence = row.confidence,
  overview.token_count = row.token_count,
  overview.embedding = row.embedding,
  overview.embedder = $embedder,
  overview.model = row.model,
  overview.fingerprint = row.fingerprint,
  overview.is_dirty = false,
  overview.generated_at = datetime($now),
  overview.unaged = $user_id,
  overview.unscored = $user_id,
  overview.updated_at = datetime($now)
