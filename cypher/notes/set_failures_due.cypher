// Notes that could not be taken for a user are due again.
// mode: write
// params: user_id
// returns: source_id
MATCH (x:Extraction {user_id: $user_id})
WHERE x.people_error IS NOT NULL OR x.concepts_error IS NOT NULL OR x.entities_error IS NOT NULL
SET x.noted_people = CASE WHEN x.people_error IS NULL THEN x.noted_people ELSE '' END,
  x.noted_concepts = CASE WHEN x.concepts_error IS NULL THEN x.noted_concepts ELSE '' END,
  x.noted_entities = CASE WHEN x.entities_error IS NULL THEN x.noted_entities ELSE '' END,
  x.unnoted = $user_id
RETURN x.source_id AS source_id
