// A little of everything: one node of each kind for an owner, with bookkeeping on it.
// mode: write
// params: owner, member, now
// returns: id
// owner: no, owner and member say whose
CREATE (s:Memory:Source {id: 'source:' + $owner, user_id: $owner, title: 'T', started_at: datetime('2026-01-01T00:00:00Z'), path: $now, created_at: datetime($now)})
CREATE (f:SourceFile {id: 'file:' + $owner, user_id: $owner, path: $now})
CREATE (x:Extraction {id: 'extraction:' + $member + $owner, user_id: $member, status: 'extracted', started_at: datetime($now)})
CREATE (c:Memory:KnowledgeChunk {id: 'chunk:' + $member + $owner, user_id: $member, content: 'C', embedding: [0.5, 0.25]})
CREATE (v:ValueClassification {id: 'value:' + $member + $owner, user_id: $member, value_score: 0.5, updated_at: datetime($now)})
CREATE (s)-[:STATES {user_id: $member, turn: 1, excerpt: 'E'}]->(c)
CREATE (c)-[:HAS_VALUE]->(v)
RETURN s.id AS id
