// A source that was neither removed nor withdrawn.
// takes: source
source.removed_at IS NULL
  AND source.withdrawn_at IS NULL
