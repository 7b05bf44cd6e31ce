// How often curation looks, as a person has set it for the installation.
// mode: read
// params: -
// returns: mode
// owner: no, a setting of the installation; no content
MATCH (c:SystemConfig {id: 'config:curation'})
RETURN c.mode AS mode
