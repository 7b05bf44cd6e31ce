"""The word lists of the local model, as tables.

All of them are our own, written and pruned by reading chats, mails and transcripts; none is taken
from a published list. A list holds lower-case words unless its name says otherwise.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- sentences -----------------------------------------------------------------------------------
ABBREVIATIONS = _words(
    "mr mrs ms dr prof sr jr st rev hon gen col sgt lt capt gov sen rep e.g i.e eg ie cf etc vs v no nos vol fig "
    "figs eq sec ch pp p approx ca est inc ltd co corp dept univ assn bros jan feb mar apr jun jul aug sep sept oct "
    "nov dec mon tue tues wed thu thur thurs fri ave blvd rd mt ft a.m p.m am. pm. u.s u.k u.n e.u d.c ph.d m.d b.a "
    "m.a b.sc m.sc incl excl resp ext tel min max avg al ed eds"
)
ABBREVIATIONS_THAT_END = _words(
    "etc inc ltd co corp jr sr a.m p.m u.s u.k u.n e.u d.c ph.d m.d b.a m.a b.sc m.sc al no min max"
)

# --- roles and speakers --------------------------------------------------------------------------
ROLES = _words("user assistant system tool human ai bot model agent developer function chatbot unknown speaker")
ASSISTANT_ROLES = _words(
    "assistant system tool ai bot model agent developer function chatbot chatgpt claude gemini copilot"
)

# --- names ---------------------------------------------------------------------------------------
# Capitalised at a sentence's start or for emphasis, mistaken for names by the pipeline.
NOT_NAMES = _words(
    "glad hey hi hello wow thanks thank yeah yes yep yup no nope ok okay oh ah aw aww haha hehe lol omg hmm um uh "
    "well sure great good cool nice awesome amazing sorry congrats congratulations cheers bye goodbye welcome dear "
    "regards best sincerely please absolutely definitely totally exactly anyway sounds looks take keep let lets got "
    "going gonna gotta wanna dunno yay yikes woah whoa oops ugh phew gosh damn dude man bro sis sir madam mom mum "
    "dad mommy daddy grandma grandpa granny monday tuesday wednesday thursday friday saturday sunday mon tue tues "
    "wed thu thur thurs fri sat sun january february march april may june july august september october november "
    "december jan feb mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday tonight morning afternoon "
    "evening weekend noon midnight am pm est pst cst cet utc gmt eod cob asap fyi btw imo imho tbd tba todo fixme "
    "faq ps re fw fwd cc bcc attn rsvp nb q1 q2 q3 q4 i you he she it we they me us him her them this that these "
    "those there here what who when where why how which step note notes example examples tip tips option summary "
    "conclusion overview section chapter part page figure table item items point phase week day month year hour "
    "true false none null yes/no n/a ok. hope love miss enjoy stay talk see catch hang keep happy merry subject "
    "message email mail attachment draft update hehehe hahaha sooo soo super really maybe perhaps one two three "
    "four five six seven eight nine ten first second third fourth last next both all some many each every another "
    "def class import return print self var let const function int str bool html css json xml http https url www "
    "null photo image picture video link pics pic caption ooh mmm woo woohoo hooray bravo kudos pls plz thx ty np "
    "ikr idk define create ensure use add implement review test consider set identify check include make start "
    "write your my our his their its day.- mr mrs ms dr prof"
)
# A turn's first or last words greet where one of these is among them.
GREETINGS = _words(
    "hey hi hello hiya yo howdy dear good welcome greetings thanks thank thx cheers appreciate appreciated grateful "
    "bye goodbye regards wishes sincerely truly congrats congratulations"
)
# Vague heads of noun phrases: they are about nothing in particular.
VAGUE_NOUNS = _words(
    "thing things lot lots time times day days way ways bit kind kinds sort sorts type types stuff something "
    "anything nothing everything someone anyone everyone nobody somebody people person guy guys man men woman women "
    "one ones part parts piece pieces place places point points case cases fact facts reason reasons idea ideas "
    "example examples number numbers amount week weeks month months year years hour hours minute minutes second "
    "seconds moment moments today tomorrow yesterday tonight morning evening afternoon night weekend end start "
    "beginning middle side top bottom front back rest couple bunch set group groups pair ton tons load loads piece "
    "word words name names question questions answer answers problem problems issue issues matter matters situation "
    "thought thoughts mind sense feeling feelings look luck fun chance help need needs step steps level area areas "
    "line lines life world home house work job hand hands eye eyes head face heart hope wish care love thank thanks "
    "please wow hey yeah okay sorry glad congrats hello bye goodness god gosh dude everybody experience experiences "
    "support change changes difference effort detail details information info list item items plan plans process "
    "result results use user users order form forms option options choice value values photo picture pic image text "
    "message messages mail email emails note notes section page file files copy version date dates future past "
    "present opportunity attention importance possibility ability quality kinda passion dream dreams memory "
    "memories journey share sharing thinking feel talk talking chat conversation call calls deal progress pm am et "
    "al etc ft min max who what which that this it he she they we i you someone friend friends family kid kids "
    "child children parent parents member members team teams guest guests buddy friday monday tuesday wednesday "
    "thursday saturday sunday january february march april may june july august september october november december "
    "summary title subject attachment regards sincerely turn speaker summer winter spring fall autumn season course "
    "sort bye kudos cheers haha lol hmm plenty variety range series addition term terms basis purpose goal goals "
    "approach method methods solution solutions system function functions data code strategy strategies tool tools "
    "key content feature features focus guide impact overview project task tasks advice recommendation while "
    "anybody motivation strength positivity encouragement inspiration joy happiness smile vibe vibes energy power "
    "step-by-step reminder challenge challenges skill skills learning growth success benefit benefits self bond "
    "connection community difference cause meeting meetings uh um mm-hmm hmm disfmarker vocalsound yep mm guess "
    "thingy whatever"
)
UNITS = _words(
    "centimetre centimeter millimetre metre meter kilometre kilometer mile foot inch yard gram kilogram kilo ton "
    "tonne litre liter pound euro dollar cent penny pence percent degree megabyte gigabyte terabyte byte "
    "millisecond dozen hundred thousand million billion quarter half third times"
)
TIME_NOUNS = _words(
    "day week weekend month year hour minute morning evening afternoon night today tomorrow yesterday tonight "
    "summer winter spring autumn season decade century second time moment"
)
ENTITY_TYPES = {
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "PRODUCT": "product",
    "WORK_OF_ART": "work",
    "EVENT": "event",
    "NORP": "group",
    "LAW": "work",
}
# A name that ends in one of these is that kind of thing, whatever the pipeline called it.
TYPE_OF_LAST_WORD = {
    **dict.fromkeys(
        "inc corp ltd llc gmbh ag company university college school institute bank club council committee "
        "association agency ministry foundation group labs lab studio partners hospital clinic church team "
        "department office airlines airways bakery logistics foods robotics sensors systems solutions technologies "
        "software media press publishing records pharma motors industries energy electric capital ventures holdings "
        "insurance mutual trust union cooperative co-op society federation orchestra choir lettings brewery dairy "
        "academy primary authority board commission parliament sons daughters brothers consulting kitchens strings "
        "homes boatyard shipyard".split(),
        "organization",
    ),
    **dict.fromkeys(
        "street avenue road park beach lake river mountain island city bay valley bridge station airport square "
        "center centre museum cafe café restaurant hotel hall theater theatre stadium library garden lane row drive "
        "court terrace alley hill creek forest coast harbour harbor quay pier wharf mill farm castle palace "
        "cathedral chapel hostel pub pool gym arena heights falls springs rooms straße strasse gardens county "
        "village".split(),
        "place",
    ),
    **dict.fromkeys(
        "project initiative program programme launch migration rollout release redesign pilot".split(),
        "project",
    ),
    **dict.fromkeys(
        "conference festival summit workshop meetup marathon tournament cup olympics awards parade webinar "
        "hackathon party wedding run race fair expo gala championship half".split(),
        "event",
    ),
    **dict.fromkeys("act treaty bill book novel album song report".split(), "work"),
}

# --- beside names ------------------------------------------------------------------------------
# The lemmas beside names that say what the name is of, and names that most readers know.
TITLES = _words(
    "mr mrs ms miss dr prof professor sir madam father sister uncle aunt grandma grandpa captain judge nurse coach"
)

# "my wife Sabine", "Elin's wedding": before a name or behind its possessive, they speak for a person.
KIN_AND_ROLES = _words(
    "wife husband partner fiancé fiancée fiance girlfriend boyfriend son daughter kid child mother father mum mom "
    "dad parent sister brother sibling twin grandmother grandfather grandson granddaughter aunt uncle cousin niece "
    "nephew stepmother stepfather friend buddy colleague coworker roommate flatmate neighbour neighbor boss manager "
    "teacher coach tutor trainer doctor dentist vet therapist physio nurse lawyer attorney accountant architect "
    "plumber electrician carpenter painter gardener landlord landlady mate guy lady man woman girl boy intern "
    "trainee student professor colleague author singer guitarist pianist drummer actor actress poet novelist "
    "birthday wedding mother-in-law father-in-law sister-in-law brother-in-law assistant secretary engineer "
    "designer developer officer librarian surgeon consultant recruiter editor director president chairman "
    "chairwoman mayor"
)
VERBS_TO_PEOPLE = _words(
    "ask tell thank meet invite remind marry greet congratulate email phone introduce hire interview promise owe "
    "trust hug tease forgive miss apologise apologize persuade convince bribe"
)
VERBS_OF_PEOPLE = _words(
    "say think want ask write wrote know promise like love hate tell told feel laugh smile cry live marry agree "
    "suggest believe propose reply answer explain mention call wonder decide hope wish forget remember teach swear "
    "joke prefer think talk speak insist admit worry sleep eat cook sing dance swim lend lent borrow bring brought "
    "lead led hear notice sit stay snore recommend warn claim argue complain nod help volunteer retire propose wake "
    "sit handle moderate"
)

# Programs, services and things that are known by name alone; some are called like people or like words.
PRODUCTS = _words(
    "alexa siri cortana claude chatgpt gpt gemini copilot jenkins docker kubernetes terraform ansible puppet "
    "grafana prometheus kibana elasticsearch redis memcached postgres postgresql mysql mariadb sqlite mongodb mongo "
    "cassandra kafka rabbitmq airflow spark hadoop snowflake bigquery redshift databricks looker tableau duckdb "
    "parquet dbt jira confluence trello asana notion slack zoom teams sharepoint outlook gmail excel powerpoint "
    "photoshop figma miro canva dropbox github gitlab bitbucket git python java javascript typescript rust golang "
    "kotlin swift scala ruby perl php julia haskell erlang elixir clojure r go react angular vue svelte django "
    "flask rails laravel spring node node.js npm webpack linux ubuntu debian fedora windows macos ios android "
    "chrome firefox safari whatsapp signal telegram instagram facebook youtube tiktok twitter spotify netflix "
    "kindle iphone ipad macbook thinkpad playstation xbox nginx apache sentry datadog splunk pagerduty launchdarkly "
    "crashlytics stripe paypal oracle salesforce hubspot zendesk intercom word wordpress shopify latex matlab "
    "pandas numpy tensorflow pytorch spacy"
)
HOLIDAYS = _words("easter christmas hanukkah ramadan eid diwali thanksgiving halloween carnival passover")

PERSON_NOUNS = _words(
    "nurse mom mum dad mother father parent teacher student vegan vegetarian pescatarian widow widower christian "
    "muslim jew buddhist atheist chef judge pilot veteran coach twin introvert extrovert freelancer boss lawyer "
    "architect accountant clerk guide carpenter plumber electrician baker farmer gardener tailor butcher librarian "
    "photographer musician cook smoker lefty minimalist ceo cto cfo phd postdoc intern beginner beginner's native "
    "citizen expat runner person"
)

# --- tags ----------------------------------------------------------------------------------------
# The whole vocabulary of tags, each with the lemmas that speak for it.
TAG_WORDS: dict[str, frozenset[str]] = {
    "work": _words(
        "work job client customer office boss manager colleague coworker company contract employee salary "
        "promotion interview business career hire resume vendor stakeholder shift"
    ),
    "planning": _words(
        "plan schedule deadline milestone timeline agenda roadmap calendar prepare sprint itinerary upcoming next "
        "tomorrow organise organize goal booking"
    ),
    "decision": _words("decide decision agree choose approve vote settle conclude opt commit"),
    "health": _words(
        "health doctor hospital medicine medication diet sleep exercise workout therapy therapist injury pain "
        "illness sick gym yoga surgery symptom allergy allergic nutrition dentist anxiety stress marathon"
    ),
    "travel": _words(
        "travel trip flight hotel vacation holiday airport visa passport train luggage camping hike hiking road "
        "beach tour abroad itinerary"
    ),
    "finance": _words(
        "budget money cost price invoice payment bank loan tax salary investment stock fund expense income rent "
        "mortgage insurance profit revenue trade trading dollar euro savings"
    ),
    "family": _words(
        "family kid child son daughter mother father mom mum dad parent wife husband sister brother grandma "
        "grandpa baby wedding married marriage adoption cousin aunt uncle niece nephew"
    ),
    "technical": _words(
        "code bug server database api deploy deployment software function library python javascript java html css "
        "sql query script test algorithm framework endpoint docker kubernetes git commit compile compiler config "
        "cache app module class parameter network sensor signal"
    ),
    "education": _words(
        "school university college class course exam study student teacher lesson homework degree lecture learn "
        "tutorial thesis professor research paper math geometry proof"
    ),
    "food": _words(
        "food recipe cook cooking bake baking dinner lunch breakfast restaurant meal cake coffee vegetarian vegan "
        "kitchen ingredient"
    ),
    "arts": _words(
        "music song art painting paint guitar piano concert book novel movie film dance dancing theater theatre "
        "photography pottery poem poetry sculpture gallery writing author band album"
    ),
    "sports": _words(
        "game team match basketball football soccer tennis running run marathon race league championship coach "
        "player tournament swim swimming climbing surfing score"
    ),
    "pets": _words("dog cat puppy kitten pet vet turtle hamster leash paw shelter"),
    "home": _words(
        "house apartment garden gardening furniture renovation landlord tenant neighbour neighbor garage roof "
        "moving lease"
    ),
    "legal": _words(
        "legal law lawyer attorney contract agreement clause compliance regulation court liability license policy "
        "dispute"
    ),
    "feedback": _words("feedback review comment suggestion opinion rating complaint survey improve criticism"),
    "incident": _words(
        "incident outage failure downtime crash error rollback postmortem alert broken breach urgent emergency"
    ),
    "celebration": _words(
        "birthday party celebrate celebration anniversary congratulation graduation award wedding gift"
    ),
    "support": _words(
        "support encourage encouragement proud courage inspire inspiring motivation grateful thankful struggle "
        "acceptance community"
    ),
}
TAG_OF_KIND = {
    "conversation": "conversation",
    "email": "correspondence",
    "slack": "discussion",
    "transcript": "meeting",
    "note": "note",
    "record": "record",
}
