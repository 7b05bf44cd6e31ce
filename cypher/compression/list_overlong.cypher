// Levels of a user's sources that have more tokens than their share and their floor allow, or than the level above, and
// links whose ratio is not the level's.
// mode: read
// params: user_id, summary_percent, keywords_percent, summary_floor, keywords_floor
// returns: id, level, tokens, tokens_of_source
MATCH (f:CompressedContext {user_id: $user_id, compression_level: 'full'})
MATCH (f)-[to_summary:SUMMARIZED_TO]->(s:CompressedContext)
OPTIONAL MATCH (s)-[to_keywords:SUMMARIZED_TO]->(k:CompressedContext)
WITH f, s, k, to_summary, to_keywords,
  s.token_count > f.token_count
    OR (s.token_count > $summary_floor AND s.token_count * 100 > f.token_count * $summary_percent)
    OR to_summary.compression_ratio <> s.compression_ratio AS summary_fails,
  k IS NOT NULL AND (k.token_count > s.token_count
    OR (k.token_count > $keywords_floor AND k.token_count * 100 > f.token_count * $keywords_percent)
    OR to_keywords.compression_ratio <> k.compression_ratio) AS keywords_fail
WHERE summary_fails OR keywords_fail
RETURN CASE WHEN summary_fails THEN s.id ELSE k.id END AS id,
  CASE WHEN summary_fails THEN 'summary' ELSE 'keywords' END AS level,
  CASE WHEN summary_fails THEN s.token_count ELSE k.token_count END AS tokens,
  f.token_count AS tokens_of_source
ORDER BY id
LIMIT 100
