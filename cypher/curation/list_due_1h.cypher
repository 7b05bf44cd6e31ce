// The records of a user that the cycle of every 1h has something to do for.
// mode: read
// params: user_id, last, limit
// returns: id, key
@due_records(m.curate_1h_key)
