// A memory that another one stands for: it is a tombstone, and what it was linked to is moved.
// takes: memory, kept_id
memory.tombstone = true
  AND memory.merged_into = kept_id
