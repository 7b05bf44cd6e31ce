// A source whose sensitivity was raised, or lowered again, since it was extracted.
MATCH (s:Source {id: $id, user_id: $user_id})
SET s.readers = $readers
WITH s
OPTIONAL MATCH (made:Extraction {source_id: s.id})
SET made.uncompressed = made.user_id
