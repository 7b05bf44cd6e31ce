// Erase nodes: the word of the person whose memory it is, above the rails of curation/rails.py. No audit keeps what they
// said; the Erasure node counts them. By any label, so that nothing is left because nobody thought of it. An expired note that
// stays, on which the description of somebody who goes rests, is found by the next cleaning, and what was consolidated of what goes
// by the next run, as are the places of contexts beside it; what goes is not changed before: an index of the embedded engine would remember it.
// mode: write
// params: ids, user_ids
// returns: erased
MATCH (n)
WHERE n.id IN $ids
  AND n.user_id IN $user_ids
OPTIONAL MATCH (n)-[:DESCRIBED_BY]->(told:Note)
WHERE told.expiry_key IS NULL
  AND NOT told.id IN $ids
SET @becomes_expiring(told)
WITH DISTINCT n
OPTIONAL MATCH (n)-[t:TAKEN_FROM]-()
WHERE t.step STARTS WITH 'consolidation/'
WITH n, collect(DISTINCT t.step) AS steps
UNWIND [step IN steps | substring(step, 14)] + [coalesce(n.folded_by, '')] AS consolidation_id
OPTIONAL MATCH (k:Consolidation {id: consolidation_id})
WHERE k.user_id IN $user_ids
  AND NOT k.id IN $ids
SET k.unchecked = k.user_id
WITH DISTINCT n
OPTIONAL MATCH (n)-[:FOLLOWS|PART_OF]-(beside:CompressedContext)
WHERE NOT beside.id IN $ids
OPTIONAL MATCH (made:Extraction {source_id: coalesce(beside.source_id, ''), user_id: coalesce(beside.user_id, '')})
WHERE NOT made.id IN $ids
SET made.uncompressed = made.user_id
WITH collect(DISTINCT n) AS nodes
FOREACH (n IN nodes | DETACH DELETE n)
RETURN size(nodes) AS erased
