// The owner's own standing instructions: in the pool whatever their value, the newest first.
// mode: read
// params: user_id, first, last, limit
// returns: memory_id, section, entity_type, is_standing, occurred_at, value_score, tier, retention
@shelf(vc.standing_key)
