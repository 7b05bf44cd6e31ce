// Those of some sources of an owner that processing is due for (list_sources_to_process).
// mode: read
// params: ids, user_id, recipe, force, retry, now
// returns: id, started_at, raw_size, attempts
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
@due_for_processing(s)
