// Whether one of the keys is among the readers of a source; without a list of them it is open to all with its owner's key.
// takes: readers, keys
(readers IS NULL OR any(reader IN readers WHERE reader IN keys))
