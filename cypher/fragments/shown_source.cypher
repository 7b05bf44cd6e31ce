// A source as a line of a file is explained by it, with its summary.
// takes: source
source.id AS id,
  source.source_type AS kind,
  source.title AS title,
  source.path AS path,
  source.started_at AS occurred_at,
  source.summary AS excerpt
