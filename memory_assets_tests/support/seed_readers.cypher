// A source whose sensitivity was raised, or lowered again, since it was extracted.
MATCH (s:Source {id: $id, user_id: $user_id})
SET s.readers = $readers
