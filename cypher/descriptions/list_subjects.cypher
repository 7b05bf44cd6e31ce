// Of some people, concepts, entities and relationships of a user: what they are called, and how they are described so far.
// mode: read
// params: user_id, ids
// returns: id, labels, name, entity_type, type, from_name, to_name, description, sentences, described_from, embedder, dirty_at
UNWIND $ids AS wanted
@owned_memory(wanted)
OPTIONAL MATCH (m)-[:RELATES_FROM {user_id: $user_id}]->(f:Memory)
OPTIONAL MATCH (m)-[:RELATES_TO {user_id: $user_id}]->(t:Memory)
RETURN m.id AS id, labels(m) AS labels, m.name AS name, m.entity_type AS entity_type, m.type AS type,
  min(f.name) AS from_name, min(t.name) AS to_name, m.description AS description,
  m.description_sentences AS sentences, m.described_from AS described_from, m.embedder AS embedder,
  m.dirty_at AS dirty_at
ORDER BY id
