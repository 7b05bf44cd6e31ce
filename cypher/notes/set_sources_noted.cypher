// From what each step's notes of a source were taken, or why they could not be; steps without a word stay. Where none is left
// (``is_done``), the source is due no more, unless it was extracted anew meanwhile.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (x:Extraction {id: row.extraction_id, user_id: $user_id})
SET x.noted_people = CASE WHEN row.people IS NULL THEN x.noted_people ELSE row.people END,
  x.people_error = CASE WHEN row.people IS NULL THEN x.people_error ELSE row.people_error END,
  x.noted_concepts = CASE WHEN row.concepts IS NULL THEN x.noted_concepts ELSE row.concepts END,
  x.concepts_error = CASE WHEN row.concepts IS NULL THEN x.concepts_error ELSE row.concepts_error END,
  x.noted_entities = CASE WHEN row.entities IS NULL THEN x.noted_entities ELSE row.entities END,
  x.entities_error = CASE WHEN row.entities IS NULL THEN x.entities_error ELSE row.entities_error END,
  x.unnoted = CASE WHEN row.is_done AND x.fingerprint = row.extraction THEN null ELSE x.unnoted END
RETURN x.id AS id
