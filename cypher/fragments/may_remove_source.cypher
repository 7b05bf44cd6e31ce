// The rail of curation/rails.py for a source that whoever gave it has taken back: not kept forever; unknown means keep. That
// somebody has often asked for it is no reason against the owner's word.
// takes: source
source.ttl_policy <> 'keep_forever'
