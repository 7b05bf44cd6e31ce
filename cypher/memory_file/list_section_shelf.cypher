// The most valuable memories of one section of a user's file, or the newest sources: a bounded pool.
// mode: read
// params: user_id, first, last, limit
// returns: memory_id, section, entity_type, is_standing, occurred_at, value_score, tier, retention
@shelf(vc.rank_key)
