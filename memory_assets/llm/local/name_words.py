"""The words that stand beside names and say what the name is of, and names that most readers know.

All of these lists are our own. They hold lemmas in lower case.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words("mr mrs ms miss dr prof professor sir madam father sister uncle aunt grandma grandpa captain judge nurse coach")

# "my wife Sabine", "Elin's wedding": before a name or behind its possessive, they speak for a person.
KIN_AND_ROLES = _words(
    "wife husband partner fiancé fiancée fiance girlfriend boyfriend son daughter kid child mother father mum mom dad parent sister "
    "brother sibling twin grandmother grandfather grandson granddaughter aunt uncle cousin niece nephew stepmother stepfather friend "
    "buddy colleague coworker roommate flatmate neighbour neighbor boss manager teacher coach tutor trainer doctor dentist vet "
    "therapist physio nurse lawyer attorney accountant architect plumber electrician carpenter painter gardener landlord landlady "
    "mate guy lady man woman girl boy intern trainee student professor colleague author singer guitarist pianist drummer actor "
    "actress poet novelist birthday wedding mother-in-law father-in-law sister-in-law brother-in-law assistant secretary engineer "
    "designer developer officer librarian surgeon consultant recruiter editor director president chairman chairwoman mayor"
)
VERBS_TO_PEOPLE = _words(
    "ask tell thank meet invite remind marry greet congratulate email phone introduce hire interview promise owe trust hug tease "
    "forgive miss apologise apologize persuade convince bribe"
)
VERBS_OF_PEOPLE = _words(
    "say think want ask write wrote know promise like love hate tell told feel laugh smile cry live marry agree suggest believe "
    "propose reply answer explain mention call wonder decide hope wish forget remember teach swear joke prefer think talk speak "
    "insist admit worry sleep eat cook sing dance swim lend lent borrow bring brought lead led hear notice sit stay snore recommend "
    "warn claim argue complain nod help volunteer retire propose wake sit handle moderate"
)
VERBS_OF_ORGANIZATIONS = _words(
    "deliver announce acquire sponsor charge hire supply ship offer invest sell pay confirm refund insure manufacture employ own "
    "produce publish merge raise found"
)
VERBS_OF_PRODUCTS = _words(
    "run crash support require return store render compile show report reject timeout load import export expire connect restart "
    "boot scale sync parse index cache save update install log use cost weigh"
)
VERBS_TO_PRODUCTS = _words(
    "use install configure upgrade deploy run open restart launch build rewrite download migrate update uninstall integrate learn "
    "try adopt"
)
VERBS_OF_MOTION = _words(
    "go come travel move fly drive sail walk ride ferry return head get arrive relocate trip flight train bus road way visit"
)
NOUNS_BEFORE_ORGANIZATIONS = _words(
    "company firm startup agency supplier sponsor bakery bank insurer publisher vendor employer client customer maker bookshop "
    "restaurant charity label competitor provider manufacturer"
)
NOUNS_BEFORE_PRODUCTS = _words(
    "tool app library framework language database software platform plugin package device phone laptop printer editor browser boat "
    "ship drone robot game bot assistant server timer camera engine brand"
)
NOUNS_AFTER_PRODUCTS = _words(
    "app server cluster database dashboard plugin sdk api library schema query table driver board container image build pipeline "
    "node repo module script license licence account subscription workspace channel webhook job release alert notification"
)

# Programs, services and things that are known by name alone; some are called like people or like words.
PRODUCTS = _words(
    "alexa siri cortana claude chatgpt gpt gemini copilot jenkins docker kubernetes terraform ansible puppet grafana prometheus "
    "kibana elasticsearch redis memcached postgres postgresql mysql mariadb sqlite mongodb mongo cassandra kafka rabbitmq airflow "
    "spark hadoop snowflake bigquery redshift databricks looker tableau duckdb parquet dbt jira confluence trello asana notion "
    "slack zoom teams sharepoint outlook gmail excel powerpoint photoshop figma miro canva dropbox github gitlab bitbucket git "
    "python java javascript typescript rust golang kotlin swift scala ruby perl php julia haskell erlang elixir clojure r go "
    "react angular vue svelte django flask rails laravel spring node node.js npm webpack linux ubuntu debian fedora windows macos "
    "ios android chrome firefox safari whatsapp signal telegram instagram facebook youtube tiktok twitter spotify netflix kindle "
    "iphone ipad macbook thinkpad playstation xbox nginx apache sentry datadog splunk pagerduty launchdarkly crashlytics stripe "
    "paypal oracle salesforce hubspot zendesk intercom word wordpress shopify latex matlab pandas numpy tensorflow pytorch spacy"
)
ORGANIZATIONS = _words(
    "google apple microsoft amazon meta ibm intel nvidia samsung sony siemens bosch philips toyota honda bmw mercedes-benz audi "
    "volkswagen ford tesla linde adobe sap cisco netflix uber airbnb ikea lego nike adidas lufthansa ryanair easyjet unicef nato "
    "nasa harvard stanford oxford cambridge yale mit greenpeace deloitte accenture mckinsey visa mastercard hsbc barclays unesco"
)
HOLIDAYS = _words("easter christmas hanukkah ramadan eid diwali thanksgiving halloween carnival passover")
