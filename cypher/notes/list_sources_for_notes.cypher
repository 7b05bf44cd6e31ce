// The sources of which a user's notes may be due, with a current extraction, and what each step of note-taking was last made
// from. Whatever is extracted anew, or has failed and may pass, is marked, so that a run costs what is new.
// mode: read
// params: user_id, user_ids
// returns: id, title, started_at, tokens, extraction_id, extraction, people, people_error, concepts, concepts_error, entities, entities_error
MATCH (x:Extraction {unnoted: $user_id})
WHERE x.status = 'extracted'
MATCH (s:Source {id: x.source_id})
WHERE s.user_id IN $user_ids
RETURN s.id AS id, s.title AS title, s.started_at AS started_at, s.token_count AS tokens, x.id AS extraction_id, x.fingerprint AS extraction,
  x.noted_people AS people, x.people_error AS people_error,
  x.noted_concepts AS concepts, x.concepts_error AS concepts_error,
  x.noted_entities AS entities, x.entities_error AS entities_error
ORDER BY started_at, id
