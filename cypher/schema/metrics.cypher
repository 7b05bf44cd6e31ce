// What the metrics of a day were.
// mode: schema
// params: -
// returns: -

// A user's metrics of a day, by their id.
CREATE INDEX metrics_ids IF NOT EXISTS
FOR (n:MetricsSnapshot)
ON (n.id);
