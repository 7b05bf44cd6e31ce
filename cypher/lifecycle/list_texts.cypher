// What some memories of a user say, in short, and by which reference a person finds them.
// mode: read
// params: user_id, memory_ids
// returns: memory_id, ref, text
UNWIND $memory_ids AS wanted
@owned_memory(wanted)
RETURN m.id AS memory_id, m.ref AS ref, coalesce(m.canonical_name, m.content, m.title, m.text, m.stated, m.ref) AS text
