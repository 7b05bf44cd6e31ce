// A note that the cleaning finds once its time is over: by its owner and day as one text, which an index has.
// takes: note
note.expiry_key = note.user_id + '|' + toString(date(note.expires_at))
