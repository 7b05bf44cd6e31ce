// Marks what storylines follow from as changed since they were formed, if it was: from an instant on; as a whole where
// none is given.
// takes: memory, changed, since
memory.untold_from_at = CASE
    WHEN NOT (changed) THEN memory.untold_from_at
    WHEN memory.untold IS NULL OR since < memory.untold_from_at THEN since
    WHEN since IS NULL THEN null
    ELSE memory.untold_from_at
  END,
  memory.untold = CASE WHEN changed THEN $user_id ELSE memory.untold END
