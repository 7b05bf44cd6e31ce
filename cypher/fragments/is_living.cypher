// A memory that is no tombstone: nothing shows or counts one.
// takes: memory
memory.tombstone IS NULL
