// The records of a user that the cycle of every 5m has something to do for.
// mode: read
// params: user_id, last, limit
// returns: id, key
@due_records(m.curate_5m_key)
