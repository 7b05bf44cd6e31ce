// A memory that is not archived.
// takes: memory
coalesce(memory.state, 'candidate') <> 'archived'
