// The rail of curation/rails.py for a source that its giver has taken back: not `keep_forever`; unknown forbids it. That
// somebody has often asked for it is no reason against the owner's word.
// takes: source
source.ttl_policy <> 'keep_forever'
