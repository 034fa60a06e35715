"""English, as developers type it."""

from recollect.capture.said.cues.cue import Cue

ORDERS = "(?:{})".format(
    "|".join(
        """
    add address apply adjust adapt analy[sz]e audit bring build bump call change check clean commit compare confirm
    consider continue convert copy create debug delete deploy describe design determine do document drop ensure examine
    execute expand explain explore export extend extract fetch figure fill find finish fix format generate get give go
    handle have help hide implement improve include inline install integrate investigate keep kill leave lint list load
    look make merge migrate mock modify move name note open optimi[sz]e organi[sz]e parse pick plan port print proceed
    propose provide pull push put read rebase redo refactor regenerate release remove rename render reorder replace
    report reproduce research resolve restart restore return revert review rewrite run save scan search see send set
    setup show simplify skip sort split squash start stop store submit summari[sz]e support swap switch sync take tell
    test think tidy tweak trace track translate trim try turn undo unify update upgrade use verify view wait walk wire
    wrap write
    """.split()
    )
)
# Verbs after "we" that describe practice here.
OURS = (
    "(?:use|run|deploy|ship|host|store|target|support|build|test|write|publish|release|mock|lint|format|squash|rebase|"
    "stick to|follow|log|commit|push|merge|do|allow|import|hardcode|document|version|tag|review|branch)"
)
AND = r"(?:(?:and|so|also|but|here|btw|in this \w+),? )*"
THEN = r"(?:now |first,? |next,? |then |ok(?:ay)?,? |good[.,]? |so )?"
HEY = r"(?:(?:hey|hi|ok|okay) \w+, |(?:please|also|and|but|so|just|always|ok|btw)[\s,]+)*"
CALLED = r"(?:(?:please|from now on|going forward|also|and|but|so|just|let's|in this \w+)[\s,:]+)*"
USED = "(?:use|mock|add|put|commit|import|install|hardcode|include|sign)"
MANY = (
    r"(?!(?:the|an?|my|your|any|anything|everything|all|need|problem|longer|worries|idea|changes?|errors?|logs?|one|"
    r"other|new|such|way|matter|rush|code|files?|reason|results?|output|access|data|luck|i|we|you|it|this|"
    r"that)\b)(?!.*\b(?:required|needed|necessary|found)\b)[\w`./@-]+"
)
_JUST_NOW = (
    "pr|mr|pull request|commit|branch|ticket|issue|task|session|change|diff|patch|release|sprint|step|run|round|"
    "pass|one"
)

PLACEHOLDERS = {
    "<order>": ORDERS, "<ours>": OURS, "<called>": CALLED, "<many>": MANY, "<used>": USED, "<and>": AND,
    "<hey>": HEY, "<then>": THEN,
}  # fmt: skip
# Two spaces or the end of a line separate phrases; `^`: only at the beginning of a sentence; `<name>`: see above.
ENGLISH: dict[Cue, str] = {
    Cue.ASKED: r"""
    ^<hey>remember(?: (?:that|to|this|for|we|i|our|the|:)|:)  ^<hey>(?:keep|bear) in mind
    ^<hey>(?:write|jot) (?:this|that|it) down
    ^<hey>(?:make|take) (?:a )?(?:mental )?note  ^<hey>(?:don't|do not|never) forget  for (?:future|later) reference
    ^<hey>note (?:to self|for (?:later|next time|the future))  ^<hey>for (?:the )?(?:next time|record)
    ^<hey>add (?:this|that) to (?:your )?memory
    ^<hey>(?:save|store) (?:this|that|it)(?: please| for later| to memory)?:
    """,
    Cue.LASTING: r"""
    ^<called>(?:always|never|(?:don't|do not) ever)  \w+s (?:must|should|are) (?:\w+ and )?(?:always|never)
    ^(?:we|i|you) (?:should |must |need to |have to )?(?:always|never)  as always,? never  everywhere
    without exception
    (?:is|are) (?:strictly )?(?:forbidden|banned|mandatory|not allowed|off[- ]limits|for humans only)  at all times
    from now on(?:wards)?  going forward  from here on(?: out)?  as a (?:general )?rule  by convention  no exceptions
    (?:before|after|on|with) (?:each|every) (?:commit|push|pr|change|edit|merge|release|deploy\w*|task)
    (?:before|after|on|with) (?:each|every) (?:phase|step|session|build|run|feature|fix)  under no circumstances
    ^(?:every|each|any) ?time (?:you|we)  ^whenever (?:you|we)
    (?:our|the) (?:convention|policy|rule|standard)s? (?:is|are)
    """,
    Cue.OURS: r"""
    ^<and>we (?:all |already |currently |still |now |just |only |always |never )*<ours>
    ^<and>we (?:don't|do not|no longer) (?:ever )?<ours>
    """,
    Cue.PREFERENCE: r"""
    (?:i|we) (?:really |strongly |much |usually |generally |always )*prefer  ^(?:please )?prefer
    (?:i|we) (?:really )?like \S.* (?:more|better) than  i(?:'m| am) more of an?  my preference is
    """,
    # Of plurals and mass nouns: "no default exports", "stop adding comments", "don't use moment".
    Cue.REFUSAL: r"""
    ^(?:please )?(?:stop \w+ing|avoid|no more) <many>  ^(?:please )?(?:don't|do not) <used> <many>
    ^no(?! (?:\w+ing|use|run|want|make)\b)(?!.*\b(?:are|will|still)\b) <many>
    ^(?:please )?(?:don't|do not|never) \w+ (?:.* )?(?:without|unless|directly|ask me first|to (?:main|master|prod\w*))
    """,
    Cue.WANT: r"""
    (?:we|i) (?:\w+ )?(?:don't |do not |never |didn't |no longer )?(?:\w+ )?want  (?:we|i)(?:'d| would) (?:like|love)
    want to (?:move|keep|use|have|make)
    """,
    Cue.REASON: r"""
    because  '?(?:cause|cuz|bc)  since  so that  due to  that's why  which is why  reason  otherwise  in order to
    """,
    Cue.CAUSE: r"""
    root cause  caused by  turns out  the (?:\w+ )?(?:issue|problem|bug|culprit|cause) (?:is|was)  silently
    """,
    Cue.ONCE: rf"""
    for now  (?:just )?this (?:time|once)  just now  right now
    (?:for|in|on|with) (?:this|the current|that) (?:{_JUST_NOW})
    (?:the )?rest of (?:this|the) (?:session|day|task)  this (?:{_JUST_NOW})  today  tonight  tomorrow  yesterday
    later
    this (?:morning|afternoon|evening|week)  temporar(?:y|ily)  one[- ]off  at the moment  for the moment  atm  yet
    quick(?:ly)?  throwaway  (?:until|till) (?!(?:ci|tests|all)\b)\w+  while (?:you|we|i|\w+ is)  next step
    phase \d+  as (?:a )?first step
    (?:before|when|after) (?:you(?:'re| are)? )?(?:start|continue|done|go|that|this)  ^first,?  ^next,?  again
    (?:by|on|before) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)  the (?:last|previous|second) \w+
    """,
    Cue.POINTER: r"""
    lines? \d+(?:[-–]\d+)?  #\d+  (?:issue|item|point|comment|finding|option|case|todo|number|step|task) #?\d+[a-z]?
    /(?:users|home|tmp|var|private)/\S+  screenshot  attached  attachment  above  below  following
    """,
    Cue.HEDGE: r"""
    maybe  perhaps  probably  i (?:think|guess|believe|suppose|assume|suspect|wonder)  presumably  might  seems?
    not (?:sure|certain|clear)  could be  possibly  likely  unsure  no idea  i'd (?:lean|say|guess)  apparently
    ideally
    """,
    Cue.HYPOTHESIS: r"""
    what if  (?:we|you|i|one|it|that) could  could (?:we|you|also)  if (?:we|i|this|it) (?:were|did|had|wanted|ever)
    imagine  suppos(?:e|ing)  would(?:n't)?  i'd  we'd  you'd  let's (?:say|consider|assume|pretend|imagine)  say we
    alternatively  how about  in theory  (?:should|shall|can) (?:we|i|you)
    """,
    Cue.ELSEWHERE: r"""
    (?:old|previous|last|former) (?:job|company|team|project|employer)  side project
    other (?:team|project|repo|company)
    upstream  used to  last (?:year|month|week)  back then  most people
    """,
    Cue.MOOD: r"""
    stupid  damn  dammit  fuck\w*  shit\w*  lol  haha+  omg  wtf  /s  so (?:annoying|tired)  sick of  as usual
    always the same  kidding  joking  love how
    """,
    Cue.REBUKE: r"""
    ^no[,.!]  ^nope[,.!]  wrong  stop \w+ing  (?:i|we) (?:already |just )?(?:said|told you)
    you (?:didn't|did not|forgot|missed|keep|ignored)  why (?:did|are|do|would) you  not (?:that|like that|what i)
    """,
    Cue.NARRATION: r"""
    ^<then>let me
    ^<then>let's (?:see|check|look|verify|run|try)
    ^<then>i(?:'ll| will|'m going to| am going to| need to| should| can)
    ^now(?:,)? (?:let|i|update|add|fix|run|check|look|the|we|to|create|that|remove|wire|rebuild|for)  let me  ^i'm now
    ^i (?:was|am|see|now|also|can see|have|just|ran|found|missed|only|broke|understand|apologi[sz]e|want to)
    ^looking at  ^checking  ^running  want me to  shall i  ^found \d+  you're (?:absolutely )?right  good catch
    """,
    Cue.TASK: r"""
    ^(?:please |just |also |then |now |next,? |go |and |can you |could you |would you )*<order>(?! (?:is|are|was|has))
    ^you (?:should|can|need to) <order>  (?:i|we) (?:need|want) (?:you )?to  ^let's  ^(?:can|could) you
    """,
    Cue.REPORTED: r"""
    (?:he|she|they|someone|reviewers?|copilot|customer|client|boss|manager|colleague) (?:said|says|told|wants?|thinks?)
    (?:review|pr|code review) (?:comment|feedback)s?  got this (?:comment|feedback|message|error|from)
    suggested change
    (?:comment|feedback|suggestion) from
    """,
    Cue.PASSED: r"""
    tests? (?:pass|passed|are green|now pass|still pass)  build (?:succeeds|passes|is green|is clean)  compiles
    (?:zero|no) (?:lint|linter|type|new)\w* (?:issues?|errors?|warnings?)
    (?:everything|all) (?:is )?(?:green|clean|done)
    here'?s (?:a |the )?(?:summary|what changed|what i)  summary of
    """,
    Cue.EVENT: r"""
    i (?:ran|tried|added|got|get|just|did|pushed|merged|committed|updated|deleted|fixed|restarted|tested|checked)
    i (?:saw|see|changed|renamed|used|noticed|found)  (?:that|it|this) (?:worked|works|didn't work|failed|broke|still)
    (?:that|it|this) is (?:broken|bad|good|not good|wrong|better)  still (?:get|getting|fails?|failing|broken|see|has)
    i'm (?:getting|seeing|confused|lost|not sure)  (?:we|i) got  here(?:'s| is) (?:the|a|my|what)
    isn't (?:working|right)
    (?:doesn't|not|isn't|don't) (?:seem|work|working)  (?:is|are) (?:down|broken|failing|red|empty|missing|slow|wrong)
    you (?:removed|deleted|changed|added|broke|made|used|put|wrote|created|did)
    """,
    Cue.UNIVERSAL: r"""
    (?:in|across|for|on) (?:all|every|any|each)(?: of)? (?:my |our )?(?:projects?|repos?|repositor(?:y|ies)|codebases?)
    (?:every|wher)ever?(?:where)? i work  (?:whatever|no matter) (?:the|which|what) (?:project|repo|language)
    """,
    Cue.OFFER: r"""
    want me to  would you like  shall i  should i  let me know  do you want  which (?:one )?do you (?:prefer|want)
    """,
}
