// The contexts of a source, and its place among them, follow from what has changed of it: the next run of whoever has extracted
// it looks at it.
// takes: source
WITH row, source
OPTIONAL MATCH (made:Extraction {source_id: source.id})
WITH row, source, collect(made) AS extractions
FOREACH (made IN extractions | SET made.uncompressed = made.user_id)
