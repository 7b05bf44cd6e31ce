// The stored classifications of a user by their fingerprints, so that only what changed is written.
// mode: read
// params: user_id
// returns: id, fingerprint
MATCH (vc:ValueClassification {user_id: $user_id})
RETURN vc.id AS id,
  vc.fingerprint AS fingerprint
