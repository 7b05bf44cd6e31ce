// A memory that was merged into another one by this audit: it is a tombstone, and what it was linked to is moved.
// takes: memory, audit
memory.tombstone = true
  AND memory.merged_by = audit
