"""Words that show how a statement is built. Facts about English as developers write it."""

from recollect.text.aliases import read_table

FUNCTION_WORDS = frozenset(
    """
    a about after again all also although am an and any anyone are around as at be because been before being both but
    by can could did do does doing done down each either else even every for from get gets got had has have having he
    her here him his how i if in into is it its just may me might must my of off on once only onto or other our ours out
    over own per please pls she should so some such than that the their them then there these they this those though
    through to too under until up upon us very via was we well were what when where whether which while who whom whose
    why will with within would yeah yep you your yours ok okay btw fyi lol hey folks sorry ugh nah nope heads gimme
    gotta u ur im yes hi
    """.split()
)
# Words of any sentence, whatever its topic.
LIGHT_WORDS = FUNCTION_WORDS | frozenset(
    """
    always ever everywhere anywhere everything everyone something thing stuff now currently today really actually
    finally totally fine good better best like prefer want wants need needs needed use uses used using make makes made
    keep kept put set sets let go goes going come comes came take takes took taken give gives given live
    lives lived run runs running ran is's called name named new newer latest current correction note remember careful
    exactly roughly about approximately simply instead rather still already than more most much many lot few same
    different since from whole full itself themselves anymore ones way case cases times gone dead history stay stays
    above below under less fewer over feel placed person wrong kicks kick shall mean means incorrect mistaken sit
    sits lie lies reside resides today e.g i.e eg ie directly straight last lasts everybody happens happen says say yo
    already mentioned example using exist exists appear appears
    """.split()
)
LIGHT_STEMS = frozenset(
    """
    maximum max minimum min limit least most allow permit requir must have enough charact char handl manag done
    serv expos locat found contain hold held point power exampl
    """.split()
)
LIGHT_IN_INDEX = LIGHT_WORDS | LIGHT_STEMS | frozenset("alway everi everyth pleas prefer onli sinc anymor".split())
NEGATIONS = frozenset(
    """
    not never no dont cannot cant wont isnt arent doesnt didnt shouldnt mustnt without avoid avoids avoided forbid
    forbids forbidden prohibited prohibit disallow disallowed disallows ban bans banned omit omits skip skips stop
    neither nor none nothing unsupported unavailable non nobody zero out-of dislike dislikes hate hates
    """.split()
)
# Words that report a change; they do not say what has changed.
CHANGE_WORDS = frozenset(
    """
    now switched switching migrating moved migrated converted replaced replaces replacing renamed dropped ditched
    removed retired upgraded downgraded bumped raised lowered increased decreased reduced
    extended shortened resized changed slipped postponed delayed cranked pushed actually correction longer anymore
    deprecated obsolete nope sorry wrong instead became rolled swapped relocated abandoned superseded shifted relicensed
    doubled halved tripled tightened relaxed rewritten ripped rewrote ported stopped mistaken finally cancelled scrapped
    """.split()
)
NO_MORE = frozenset("anymore longer".split())
CHANGE_PHRASES = (
    "as of;from now on;these days;got moved;took over;no longer;any more;in place of;instead of;rather than;"
    "going forward;is out;'s out;over to;mixed that up;down to;got rid;done with;used to;turned out;my bad"
).split(";")
CORRECTION_WORDS = frozenset("actually correction mistaken nope sorry incorrect".split())
ADDITION_WORDS = frozenset("also additionally another besides moreover".split())  # nothing is taken back
HTTP_METHODS = frozenset("get post put patch delete head options".split())
PAST_WORDS = frozenset("was were kept used".split())
MOVE_WORDS = frozenset(
    """
    moved renamed migrated switched converted changed relocated transferred ported rewrote shifted slipped postponed
    switch switching migrate migrating moving handed
    """.split()
)
REASONS = frozenset("because since".split())  # the words after these say why, not what
# The words before a person.
BEFORE_PERSON = frozenset("by ask ping contact grab with is to bug from".split())
# A name after one of these is a value, not the thing that has it.
BEFORE_VALUE = frozenset(
    """
    be in at on with by under via through is are to into called as named from using for every has have of up after over
    's :
    """.split()
)
CONDITIONS = frozenset("in for when if during within on while under of to at from".split())
EXCEPTIONS = frozenset("except unless only but apart besides and or".split())
SENTENCE_ENDS = frozenset(". ; ! ?".split())
SPEAKERS = frozenset("we i you they it that this everything".split())
NAME_CLASSES = frozenset("name alternative person quote".split())
# A name after one of these says which thing is meant.
BEFORE_QUALIFIER = frozenset("from of for up has have 's after over".split())
# The words before what something is, or became.
BEFORE_RESULT = frozenset(
    "be to into onto with by use uses used using run runs running is are called named as :".split()
)
BEFORE_SECOND = frozenset("over than before after from instead".split())
# Limits: the least and the most of something are two matters.
BOUNDS = {
    **dict.fromkeys(("minimum", "min", "least", "lower", "over", "exceeding", "after"), "least"),
    **dict.fromkeys(("maximum", "max", "most", "upper", "under", "before"), "most"),
}
# Small words with a direction: exchange one of them, and the statement means something else.
DIRECTION_WORDS = {
    **dict.fromkeys(("before", "until", "till"), "before"),
    **dict.fromkeys(("after", "once"), "after"),
    **dict.fromkeys(("over", "above", "more", "exceeding", "least", "minimum", "min"), "more"),
    **dict.fromkeys(("under", "below", "less", "fewer", "most", "maximum", "max"), "less"),
    **dict.fromkeys(("some", "few", "several"), "some"),
    **{word: word for word in ("only", "except", "unless", "may", "either", "both", "twice")},
}
OPPOSITE_DIRECTIONS = {"before": "after", "after": "before", "more": "less", "less": "more", "from": "to", "to": "from"}
BEFORE_NOUNS = frozenset("the a an our all every each".split())
IRREGULAR_PARTICIPLES = frozenset("cut set built written run held kept sent done made put hit read found".split())
USE_WORDS = frozenset("use uses used using run runs running".split())
DETERMINERS = frozenset("the a an our your my its is are was were be been 's of".split())
# Where something is true: two words of one row mean two places, whatever else two statements share.
PLACES = (
    frozenset("stage product develop local qa preview demo".split()),
    frozenset("io android web mobil desktop tablet".split()),  # `io` is the stem of iOS
    frozenset("frontend server client".split()),
    frozenset("unit integr e2e smoke".split()),
    frozenset("free team enterpris pro premium basic".split()),
    frozenset("intern extern public privat".split()),
    frozenset("left right front rear".split()),
)
# The name beside one of these is a person or a team.
OWNERSHIP = frozenset(
    "own owner review maintain lead contact approv respons charg call assign belong ping ask grab oncal".split()
)
# Very common stems: sharing one hardly means having the same topic.
COMMON_STEMS = frozenset(
    "test file line code branch server databas version app applic project servic api url run check".split()
)
# Between a thing and its value: a report of a change often uses another one.
LINK_STEMS = frozenset(
    """
    store host deploy build manag send ship publish listen start call version write place return come rebuilt happen
    decid agre choos
    """.split()
)
# The date of a change is not part of the topic.
CHANGE_DATES = frozenset(
    "week month year yesterday today sprint quarter januari februari march april may june juli august".split()
) | (frozenset("septemb octob novemb decemb monday spring summer autumn winter".split()))
GENERIC_STEMS = frozenset("code file method function class format branch directori command tool librari".split())
GOALS = frozenset("to into onto over".split())
_ENDING_PHRASES = [
    tuple(phrase.split())
    for phrase in (
        "instead of;rather than;in place of;no longer;moved out-of;moved off;away from;ripped out;rid of;stopped using;"
        "dropped;ditched;removed;retired;replaced;replaces;replacing;abandoned;cancelled;scrapped;we left;stop using"
    ).split(";")
]
# By their first word: what follows the phrase is over.
ENDS_AFTER = {first: [phrase for phrase in _ENDING_PHRASES if phrase[0] == first] for first, *_ in _ENDING_PHRASES}
ENDS_WHAT_PRECEDES = frozenset(
    """
    gone dead history deprecated obsolete removed retired dropped replaced superseded decommissioned abandoned shut
    disabled
    """.split()
)
AFTER_NO_LONGER = frozenset(
    "exists exist there used read needed supported maintained valid available required true".split()
)
FORMS_OF_BE = frozenset("'s is are was were been be has have had got gets being".split())
PHRASE_ENDS = frozenset("from to with by for since because so and but after while when where as".split())

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
MONTHS = {
    name[:length]: str(number)
    for number, name in enumerate(
        "january february march april may june july august september october november december".split(), start=1
    )
    for length in (3, len(name))
} | {"sept": "9", "januari": "1", "februari": "2", "juli": "7"}
VERSIONED = frozenset("node python java php ruby go golang ios android react angular vue django rails".split())
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("seconds", 0.001)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("seconds", 1.0)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), ("seconds", 60.0)),
    **dict.fromkeys(("h", "hour", "hours", "hr", "hrs"), ("seconds", 3600.0)),
    **dict.fromkeys(("d", "day", "days"), ("seconds", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("seconds", 604800.0)),
    **dict.fromkeys(("month", "months"), ("seconds", 2592000.0)),
    **dict.fromkeys(("year", "years"), ("seconds", 31536000.0)),
    **dict.fromkeys(("b", "byte", "bytes"), ("bytes", 1.0)),
    **dict.fromkeys(("k", "kb", "kib", "kilobytes"), ("bytes", 1e3)),
    **dict.fromkeys(("mb", "mib", "megs", "megabytes"), ("bytes", 1e6)),
    **dict.fromkeys(("gb", "gib", "gig", "gigs", "gigabytes"), ("bytes", 1e9)),
    **dict.fromkeys(("tb", "tib", "terabytes"), ("bytes", 1e12)),
    **dict.fromkeys(("%", "percent", "pct"), ("percent", 1.0)),
    **dict.fromkeys(("px", "pixels", "pixel"), ("pixels", 1.0)),
    **dict.fromkeys(("x", "times"), ("factor", 1.0)),
    **dict.fromkeys(("char", "chars", "character", "characters", "columns"), ("characters", 1.0)),
}
TWO_WORDS = {
    tuple(words.split()): joined
    for words, joined in read_table("""
        timeout: time out, times out, timed out; login: log in, log ins; setup: set up; rollback: roll back;
        threadsafe: thread safe; oncall: on call; enabled: turned on, switched on;
        disabled: turned off, switched off, is off; checkout: check out; pull: pull request, pull requests;
        actually: turns out, turned out; out-of: out of
    """).items()
}
# A bare number after one of these is its amount; after any other noun, it says which one is meant.
MEASURED_STEMS = frozenset(
    """
    port limit size length width height depth level version timeout retri count rate threshold max maximum min minimum
    concurr worker interv ttl priorit weight qualiti baud channel score budget cap quota age batch page capac total edit
    """.split()
)
UNITS_OFTEN_OMITTED = ("characters", "factor")
FILE_ENDINGS = """
    py js ts jsx tsx mjs cjs go rs java kt swift rb php ex exs c h cc cpp hpp cs scala clj sh sql md txt rst json yaml
    yml toml ini cfg env xml html css scss vue svelte lock proto tf graphql gradle csv conf properties ipynb dart zig
    lua pl r jl m mm tsv svg png
""".split()
# Stems that mean the same when developers write about their work.
SAME_WORDS = read_table("""
    start: begin; build: built; run: ran; send: sent; write: written, wrote; choos: chose, chosen; own: owner;
    email: e-mail; procedur: procs; request: req; variabl: var, vars; ci: pipelin; updat: upgrad, bump; full: whole;
    answer: repli, respond; sequenti: serial; pull: pr, prs; allow: permit; document: doc, docs; develop: dev, develop;
    applic: app; stage: stg, staging; server: backend; directori: folder; depend: dependeci
""")
