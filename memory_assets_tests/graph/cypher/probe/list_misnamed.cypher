// Returns another column than it says.
// mode: read
// params: user_id
// returns: id
RETURN $user_id AS name
