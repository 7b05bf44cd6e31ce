// Erase nodes: the word of the person whose memory it is, above the rails of curation/rails.py. No audit keeps what they
// said; the Erasure node counts them. By any label, so that nothing is left because nobody thought of it.
// mode: write
// params: ids, user_ids
// returns: erased
MATCH (n)
WHERE n.id IN $ids
  AND n.user_id IN $user_ids
WITH collect(n) AS nodes
FOREACH (n IN nodes | DETACH DELETE n)
RETURN size(nodes) AS erased
