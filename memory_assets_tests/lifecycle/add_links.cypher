// What a source mentions and what it supports, as the extraction and the notes link it.
MATCH (s:Source {id: $source_id})
MATCH (n:Concept {id: $concept_id, user_id: $user_id})
MATCH (r:Relationship {id: $relationship_id, user_id: $user_id})
MERGE (s)-[:MENTIONS {user_id: $user_id}]->(n)
MERGE (s)-[:SUPPORTS {user_id: $user_id}]->(r)
