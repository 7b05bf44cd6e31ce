// The accesses of a memory are to be counted anew where its last source turns out to have arrived before one that is counted,
// which did not know of that. It stands before what sets when that source arrived.
// takes: memory, arrived_at
memory.uncounted = CASE
    WHEN arrived_at > memory.ingested_at AND arrived_at <= memory.last_accessed_at THEN $user_id
    ELSE memory.uncounted
  END
