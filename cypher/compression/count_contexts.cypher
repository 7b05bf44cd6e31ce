// A user's contexts by level, content type and access tier: how many, of how many tokens, how often used.
// mode: read
// params: user_id
// returns: level, content_type, access_tier, contexts, tokens, accesses
MATCH (c:CompressedContext {user_id: $user_id})
RETURN c.compression_level AS level, c.content_type AS content_type, c.access_tier AS access_tier,
  count(c) AS contexts, sum(c.token_count) AS tokens, sum(c.access_count) AS accesses
ORDER BY level, content_type, access_tier
