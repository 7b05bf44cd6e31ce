// A cycle's figures.
CREATE (:CurationCycleSummary {id: $id, user_id: $user_id, at: datetime($at)})
