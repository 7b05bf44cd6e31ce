// What a memory begins with, whatever it is (004, State Definitions and Decay).
// takes: state, at
salience: 0.5,
  salience_at: datetime(at),
  state: state,
  ttl_policy: 'decay',
  access_count: 0,
  recall_frequency: 0,
  last_recall_interval: 0,
  decay_gradient: 1.0,
  created_at: datetime(at)
