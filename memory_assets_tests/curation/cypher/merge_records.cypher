// One record stands for another one: accesses summed, links moved, in one statement of a test.
MATCH (gone:Memory {id: $id, user_id: $user_id})
MATCH (kept:Memory {id: $kept_id, user_id: $user_id})
SET gone.merged_into = kept.id,
  kept.access_count = kept.access_count + gone.access_count,
  kept.updated_at = datetime($now),
  kept.version = coalesce(kept.version, 0) + 1
