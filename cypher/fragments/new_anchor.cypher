// A person, concept or entity as it begins (004, Step 2): what its id implies. The rest follows from all mentioning
// sources, in set_anchor_totals.
// takes: -
id: row.id,
  user_id: $user_id,
  canonical_name: row.canonical_name,
  entity_type: row.entity_type,
  ref: row.ref,
  has_meso: false,
  has_macro: false,
  unaged: $user_id,
  updated_at: datetime($now),
  @new_memory('candidate', $now)
