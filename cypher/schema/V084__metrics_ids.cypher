// A user's metrics of a day, by their id.
// mode: schema
// params: -
// returns: -
CREATE INDEX metrics_ids IF NOT EXISTS
FOR (n:MetricsSnapshot)
ON (n.id)
