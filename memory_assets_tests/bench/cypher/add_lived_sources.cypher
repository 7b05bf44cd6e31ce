// Sources of a user that were used some day, each with its text, its extraction, and whom it names beside the one whom all name: nothing of it is due.
// mode: write
// params: rows, user_id, embedder
// returns: made
UNWIND $rows AS row
CREATE (s:Memory:Source {
  id: row.id, user_id: $user_id, ref: row.ref, source_type: 'note', title: row.title, path: row.title,
  started_at: datetime(row.started_at), processing_status: 'extracted', summary: row.title, confidence: 1.0,
  state: 'active', ttl_policy: 'decay', salience: 0.9, salience_at: datetime(row.used_at), access_count: 3,
  recall_frequency: 3, decay_gradient: 1.0, last_recall_interval: 3, last_accessed_at: datetime(row.used_at),
  created_at: datetime(row.started_at), ingested_at: datetime(row.started_at), fade_key: row.fade_key,
  rest_key: row.rest_key, processed_fingerprint: row.id, text_fingerprint: row.id, token_count: 400, unscored: $user_id,
  embedding: row.embedding, embedder: $embedder
})
CREATE (:SourceText {id: row.text_id, user_id: $user_id, text: row.title})<-[:HAS_CONTENT]-(s)
CREATE (:Extraction {
  id: row.extraction_id, user_id: $user_id, source_id: row.id, status: 'extracted', fingerprint: row.extraction,
  noted_people: row.noted_people, noted_concepts: row.noted_concepts, noted_entities: row.noted_entities
})
MERGE (n:Memory:Entity {id: row.anchor_id})
ON CREATE SET n.user_id = $user_id, n.ref = row.anchor_ref, n.name = row.name, n.canonical_name = row.name,
  n.entity_type = 'organization', n.state = 'active', n.ttl_policy = 'decay', n.salience = 0.9,
  n.salience_at = datetime(row.used_at), n.access_count = 3, n.recall_frequency = 3, n.decay_gradient = 1.0,
  n.created_at = datetime(row.started_at), n.source_count = 10, n.distinct_source_days = row.days,
  n.confidence = 0.9, n.fade_key = row.fade_key,
  n.description = row.title, n.described_from = row.id
CREATE (s)-[:MENTIONS {user_id: $user_id, name_id: row.anchor_id, started_at: s.started_at}]->(n)
WITH row, s, n
MATCH (everywhere:Memory {id: row.everywhere_id, user_id: $user_id})
CREATE (s)-[:MENTIONS {user_id: $user_id, name_id: row.everywhere_id, started_at: s.started_at}]->(everywhere)
CREATE (o:Note {
  id: row.note_id, user_id: $user_id, content: row.title, lifetime: 'forever', noted_at: datetime(row.started_at)
})
CREATE (n)-[:HAS_NOTE {user_id: $user_id}]->(o)
CREATE (o)-[:TAKEN_FROM {user_id: $user_id}]->(s)
RETURN count(s) AS made
