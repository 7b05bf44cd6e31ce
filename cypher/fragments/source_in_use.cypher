// A source that was neither removed nor withdrawn.
// takes: source
source.removed_at IS NULL
  AND @in_use(source)
