// The rails of curation/rails.py for a source that is put out of use: not kept forever, not core. Unknown means keep.
// takes: source
source.ttl_policy <> 'keep_forever'
  AND source.state <> 'core'
