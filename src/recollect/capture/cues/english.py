"""English, as developers type it."""

from recollect.capture.cues.cue import Cue

# Phrases are parted by two blanks or by the end of a line; `<name>` is any of the words of that name below.
ENGLISH: dict[Cue, str] = {
    Cue.ASKED: r"""
    (?:please |pls )?remember(?: (?:that|to|this|for|we|i|our|the|:)|:)  keep in mind
    for (?:future|later) reference  (?:make|take) (?:a )?(?:mental )?note
    note (?:to self|for (?:later|next time|the future))  (?:please )?(?:don't|do not|dont|never) forget
    bear in mind  for (?:the )?next time  for the record  (?:write|jot) (?:this|that|it) down
    add (?:this|that) to (?:your )?memory
    """,
    Cue.STANDING: r"""
    always(?! (?:been|did|was|worked|fails?))  never(?! (?:mind|been|did|was|worked|seen|saw|heard|tried))
    from now on(?:wards)?  going forward  in (?:the )?future  from here on(?: out)?  as a (?:general )?rule
    rule of thumb  (?:every|each|any) ?time (?:you|we|i)  whenever (?:you|we|i)  (?:don't|do not|dont) ever
    at all times  (?:our|the|a) (?:\w+ )?(?:convention|policy)s? (?:here |in this repo |for \w+ )?(?:is|are|says?|:)
    (?:our|the|a) (?:\w+ )?standards? (?:here |in this repo |for \w+ )?(?:is|are|says?|:)
    (?:our|the|a) (?:\w+ )?(?:house style|guideline)s? (?:here |in this repo |for \w+ )?(?:is|are|says?|:)
    by convention
    (?:is|are|it's) (?:strictly )?(?:forbidden|banned|not allowed|off[- ]limits|mandatory|required everywhere)
    under no circumstances  no exceptions  without exception  (?:we|i) (?:only|exclusively) (?:ever )?\w+
    we don't (?:do|use|allow|ship|commit|mock|write)  everything (?:should|must|goes|needs)
    must (?:always|never|not)  by default(?:,)? (?:we|i|all|every)
    """,
    Cue.PREFERENCE: r"""
    (?:i|we)(?:'d| would| really| strongly| much| usually| generally)* (?:prefer|rather)
    (?:i|we)(?:'d| would| really| strongly| much| usually| generally)* (?:like it|like our|like my)
    (?:i|we)(?:'d| would| really| strongly| much| usually| generally)* (?:like to (?:see|keep|have)|love)
    (?:i|we)(?:'d| would| really| strongly| much| usually| generally)* (?:hate|dislike|despise)
    prefer(?:red|ence|ences|able|ably|s)?  (?:i|we) (?:really )?(?:don't|do not|dont) (?:really )?like
    not a (?:big )?fan of  (?:i'm|i am|we're|we are) (?:a fan|big fans?|not a fan|allergic|used to)
    (?:the )?ideal (?:format|way|approach|structure|style)  my (?:style|taste|preference)
    (?:in|with) my (?:style|taste)
    too much (?:\w+ )?(?:sprawl|ceremony|noise|magic|indirection|boilerplate|abstraction|nesting|clutter|code)
    """,
    Cue.ALIKE: r"""
    (?:like|as|the way|same as) (?:we|i|you|it|they)(?: are| already)?(?: <doing>)?(?: it| this)? (?:every|else)where
    (?:like|as|same as) (?:it is |in |with )?(?:every|else)where
    everywhere else  (?:like|as|same as) (?:in |for |with )?(?:all )?(?:the )?(?:other|others|rest)(?: \w+){0,3}
    (?:where|how|the way) (?:in |for |with )?(?:all )?(?:the )?(?:other|others|rest)(?: \w+){0,3}
    like (?:all|every|each|most) (?:of )?(?:the |our )?\w+  that's what (?:the |our )?\S+ (?:\w+ )?is for
    that's what \S+ (?:are|were) for
    (?:follow|match|use) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:pattern|convention)s?
    (?:follow|match|use) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:style|approach)s?
    stick to (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:pattern|convention)s?
    (?:stick with|keep to) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:pattern|convention)s?
    (?:stick to|stick with|keep to) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:style|approach)s?
    (?:follow|match|use) (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:pattern|convention)s?
    (?:follow|match|use) (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:style|approach)s?
    stick to (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:pattern|convention)s?
    (?:stick with|keep to) (?:the |our |an? )?normal (?:\w+ ){0,2}(?:pattern|convention)s?
    (?:stick with|keep to) (?:the |our |an? )?(?:established|current) (?:\w+ ){0,2}(?:pattern|convention)s?
    stick to (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:style|approach)s?
    (?:stick with|keep to) (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:style|approach)s?
    (?:follow|match|use) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:way|naming)s?
    (?:follow|match|use) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:format|structure)s?
    stick to (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:way|naming|format|structure)s?
    (?:stick with|keep to) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:way|naming)s?
    (?:stick with|keep to) (?:the |our |an? )?(?:existing|same|usual) (?:\w+ ){0,2}(?:format|structure)s?
    (?:follow|match|use) (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:way|naming)s?
    (?:follow|match|use) (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:format|structure)s?
    stick to (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:way|naming|format|structure)s?
    (?:stick with|keep to) (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:way|naming)s?
    (?:stick with|keep to) (?:the |our |an? )?(?:normal|established|current) (?:\w+ ){0,2}(?:format|structure)s?
    that (?:most|all) of (?:them|our \w+|the \w+) (?:have|use|follow|do)  consistent with (?:the|our|how|all)
    consistency  (?:we )?already have (?:a|an|the|one|\S+\(\)) (?:\w+ ){0,3}for (?:that|this|it)
    same (?:pattern|convention|approach|way) as
    """,
    Cue.NORM: r"""
    should(?:n't| not)?  must(?:n't| not)?  ought to
    (?:is|are|was|were|it's|they're) (?:supposed|meant|expected|intended) to  ha(?:s|ve) to  needs? to
    (?:is|are|it's) only (?:for|meant|used|valid|allowed)  belongs? (?:in|to|on|with|under)
    (?:don't|doesn't|do not|does not) (?:belong|need)  may not  cannot  no need (?:for|to)  needn't
    """,
    Cue.WANT: r"""
    (?:we|i) (?:really |just |also |still |only |actually |instead )*don't(?: really| ever| actually)? want
    (?:we|i) (?:really |just |also |still |only |actually |instead )*do not(?: really| ever| actually)? want
    (?:we|i) (?:really |just |also |still |only |actually |instead )*dont(?: really| ever| actually)? want
    (?:we|i) (?:really |just |also |still |only |actually |instead )*never(?: really| ever| actually)? want
    (?:we|i) (?:really |just |also |still |only |actually |instead )*didn't(?: really| ever| actually)? want
    (?:we|i) (?:really |just |also |still |only |actually |instead )*no longer(?: really| ever| actually)? want
    (?:we|i) (?:really |just |also |still |only |actually |instead )*want
    (?:isn't|is not|not|aren't) what (?:we|i) (?:want|need|asked)  (?:we|i)(?:'d| would) (?:like|love|want)
    (?:now )?(?:instead )?want to (?:move|keep|use|have|make)  (?:we|i) (?:don't|do not) need
    better (?:that|if) (?:we|it|you|this)
    """,
    Cue.DESIGN: r"""
    takes? (?:precedence|priority)  taking (?:precedence|priority)  (?:the )?(?:priority|precedence|order) is
    overrid(?:es?|ing|den)  (?:the )?default (?:is|for|should|value|to)  defaults? to
    (?:the )?(?:idea|intent|intention|purpose|goal|aim|point|plan) (?:is|was|here|of)
    original(?:ly)? (?:intent|idea|plan)  (?:the )?main (?:use case|reason|purpose|goal)  use case  source of truth
    single source  fall(?:s|ing)? ?back  (?:the )?trade-?offs?  by design
    (?:we|i)(?:'ve| have)? (?:decided|agreed|chose|chosen|settled|picked|opted|went)  decision
    opt(?:s|ed)? (?:in|out)  (?:the )?contract  (?:in)?compatib(?:le|ility)  out of scope  not worth
    responsib(?:le|ility)  (?:is|are) going to (?:move|be|live|stay|go|replace)
    (?:we're|we are|we will|we'll) (?:going with|moving|keeping|sticking|using|dropping|migrating)  no longer need
    (?:the )?only (?:way|reason|place|thing|difference)  (?:the )?approach(?: is|:)  key insight
    (?:if|when) (?:the )?\S+(?: \S+)? is (?:present|set|missing|absent|unset|empty|given|passed|provided)  if not,
    otherwise
    """,
    Cue.USAGE: r"""
    we (?:already |currently |still |all |now )*(?:use|run|deploy|ship|host|store|keep|target)
    we (?:already |currently |still |all |now )*(?:support|rely|depend|build|test|have|publish|require)
    (?:lives?|sits?|is located|are located) (?:in|at|under|on|inside|next)
    (?:is kept|are kept|are stored|is stored|resides?) (?:in|at|under|on|inside|next)
    (?:the )?(?:repo|project|lib|library|docs?|spec|code|config|file) is (?:at|in|here|the|under|an?)  is the parent
    (?:already|currently) (?:uses?|has|have|does|handles?|supports?)
    (?:an )?(?:oss|open[- ]source|public|private|internal) (?:repo|project|tool|library)
    (?:our|the|this) (?:\w+ )?<asset> (?:is|are|uses?|has|lives?|runs?|was|sits|needs|requires)
    (?:our|the|this) (?:\w+ )?<asset> (?:targets|only|already|goes|gets|stays|must)
    """,
    Cue.REASON: r"""
    because  '?(?:cause|cuz|coz)  since  so that  due to  that's why  which is why  reason  otherwise
    so (?:we|it|the|that|you|they|callers|no|each|every)  in order to
    as (?:it|we|they|that) (?:is|are|does|doesn't|has|have|can|can't|don't|would)  given that  thanks to
    means (?:that|we|it|the|no|you)  this (?:means|allows|ensures|makes|handles|avoids|prevents|lets|way)  avoids?
    prevents?
    """,
    Cue.CONTRAST: r"""
    instead(?: of)?  rather than  not  but  while  vs\.?  versus  unlike  whereas  except  over  however  although
    only  even (?:though|if|when)  different(?:ly)?
    """,
    Cue.FORMER: r"""
    used to  no longer  any ?more  previously  formerly  was moved  switched (?:from|to)  migrated  legacy
    deprecated  old  before,  is gone  replaced by
    """,
    Cue.CAUSE: r"""
    root cause
    (?:main|only|same|known) (?:\w+ )?(?:issue|problem|bug|culprit|cause|failure) (?:is|was|here|comes?|in)
    (?:main|only|same|known) (?:\w+ )?(?:issue|problem|bug) (?:lies|seems|turned|with|where)
    (?:main|only|same|known) (?:\w+ )?(?:culprit|cause|failure) (?:lies|seems|turned|with|where)
    (?:main|only|same|known) (?:\w+ )?(?:mismatch|gotcha|catch|trap) (?:is|was|here|comes?|in)
    (?:main|only|same|known) (?:\w+ )?(?:mismatch|gotcha|catch|trap) (?:lies|seems|turned|with|where)
    (?:is|was|were|are|gets?|being) caused by  turns out  mismatch(?:es|ed)?  race(?: condition)?  dead ?lock
    leak(?:s|ed|ing)?  stale  off[- ]by[- ]one
    doesn't (?:exist|work|match|handle|support|expand|trigger|fire|compare|know)
    never (?:\w+ed|sees?|reach\w*|gets?|runs?|fires?)  silently  treats? \S+ as
    (?:issue|problem|bug)s? (?:is|was|:)  (?:confirmed|found it|found the (?:issue|bug|problem|cause))  because
    wasn't  weren't  incorrect(?:ly)?  wrong(?:ly)?  only (?:looks?|checks?|reads?|handles?|works?|covers?)
    needs? the \S+ (?:env|environment|variable|flag|header|token)  workaround  gotcha
    known (?:gap|issue|limitation|bug)  limitation  pre-existing
    (?:the|this|real|actual|main|only|same|known) (?:\w+ )?<trouble> (?:is|was|here|comes?|in|lies|with|where)
    <breaks> .{0,60}(?:because|since|due to|when|as)
    (?:is|was|were|are) <handled> (?:as|in|before|by|from|at|with|to)
    """,
    Cue.FIX: r"""
    (?:the|a|simplest|proper|real|right|correct|clean|quick) (?:\w+ )?(?:fix|solution|workaround|remedy)
    fix(?:ed|es)?(?: it| this| the| a| by|:)?  resolved?(?: by| it)?  solved?(?: by| it)?  to fix  corrected
    workaround  (?:must|should|needs? to|have to) be \w+ed  instead of  so (?:we|it|you) (?:must|should|need|have)
    normali[sz]e[ds]?  handles the case
    """,
    Cue.CHANGE: r"<done>  (?:is|are|was|were|been) now <done>  →  ->",
    Cue.NOW: r"""
    (?:is|are|it|they|will|that|which) now \w+
    now (?:uses?|takes?|accepts?|returns?|calls?|handles?|works?|stores?)
    now (?:reads?|writes?|supports?|includes?|shows?|renders?|checks?|runs?|follows?)
    now (?:lives?|goes|falls?|passes|prints?|skips?|validates?|respects?)
    now (?:emits?|has|have|does|gets?|properly|correctly|only|also)  now (?:\w+[a-z]s)  as of now  no longer  becomes?
    """,
    Cue.STATE: r"""
    (?:is|are|isn't|aren't|it's|that's|there's|they're|was|were)
    (?:uses?|has|have|lives?|contains?|returns?|takes?|means?|sends?|handles?|supports?|expects?)
    (?:requires?|needs?|treats?|works?|runs?|stores?|writes?|reads?|calls?|comes?|goes|creates?)
    (?:gives?|keeps?|makes?|provides?|depends?|exists?|points?|maps?|lets?|allows?|does|doesn't)
    (?:don't|can|can't|cannot|won't|will|produces?|fires?|arrives?|resolves?|matches|covers?|looks?)
    """,
    Cue.PURPOSE: r"""
    (?:holds?|contains?|defines?|implements?|exposes?|owns) (?:the|all|our|every|a|an|only|shared|each|both)
    (?:provides?|houses?|wraps?|stores?|handles?|manages?) (?:the|all|our|every|a|an|only|shared|each|both)
    is (?:responsible|where|the (?:place|file|module|package|entry)|our|used (?:by|for|to|in))
    (?:entry point|responsible for|in charge of)  (?:lives?|goes|belongs?|sits|stays) in
    (?:has|have) (?:exactly |only )?\d+ \w+  these are the  there (?:is|are) (?:only |exactly |already )?\w+
    code lives  shared by  used by
    """,
    Cue.LEARNT: r"""
    turns out  apparently  it appears  according to
    (?:i|we) (?:found|learned|learnt|discovered|noticed|measured|verified|confirmed) (?:that|out)?
    benchmark(?:s|ed)?
    (?:is|are|was|were) (?:about )?\d+(?:\.\d+)?(?:x|%| ?ms| ?s| times) (?:faster|slower|smaller)
    (?:is|are|was|were) (?:about )?\d+(?:\.\d+)?(?:x|%| ?ms| ?s| times) (?:larger|more|less)  measured  in practice
    under the hood  interesting(?:ly)?  key (?:finding|insight|point|difference)  (?:can|could) return
    (?:the )?<source> (?:says?|states?|requires?|returns?|only|doesn't|does not|supports?|limits?|expects?|uses?)
    (?:the )?<source> (?:allows?|treats?|ignores?|sends?|guarantees?|caps?)
    key (?:finding|insight|point|difference)
    """,
    Cue.EVERY: r"""
    all  every(?:thing|where|one|body)?  each  any(?:thing|where|one)?  only  both  exactly  entire(?:ly)?  whole
    same  most  nothing  no one  none  default  exact
    """,
    Cue.REBUKE: r"""
    dude  wth  wtf  come on  garbage  amat(?:eu|ue)r  dumb  terrible  nonsense  ridiculous  stop (?:\w+ing|it|that)
    you (?:didn't|did not|forgot|missed|keep|lost|broke|ignored|are wrong|were wrong)
    (?:i|we) (?:already |just )?(?:said|told you|asked|explicitly)  why (?:did|are|do|would) you  why so many
    don't you read  again\?  no{1,3},  nope  wrong  not (?:that|like that|what i)
    (?:that's|this is|it's) (?:not right|lame|bad|silly|wrong|overkill|over-?engineered|all kinds of wrong)
    just use  seriously  ugh  instead of (?:just )?\w+ing
    """,
    Cue.DENIAL: r"""
    not  (?:do|does|did|is|are|was|were|ca|wo|should|would|could|has|have|had|must)n't  dont  never  no  without
    neither  nor
    """,
    Cue.ONCE: r"""
    for now  (?:just )?this (?:time|once)  just now  right now
    (?:for|in|on|with) (?:this|the current|that) (?:pr|mr|pull request|commit|branch|ticket|issue|task|session)
    (?:for|in|on|with) (?:this|the current|that) (?:change|diff|patch|release|sprint|step|run|round|pass|one)
    this (?:pr|mr|pull request|commit|branch|ticket|issue|task|session) (?:only|needs|should)
    this (?:change|diff|patch|release|sprint|step|run|round|pass|one) (?:only|needs|should)  today  tonight
    tomorrow  this (?:morning|afternoon|evening|week)  temporar(?:y|ily)  one[- ]off  at the moment  quick(?:ly)?
    for the moment  first(?:,)? (?:let|just|please)?  next(?:,)? (?:let|step|up|we)?  then (?:we|i|you)
    when (?:you're|you are) done  before you (?:start|continue|go)  go ahead  as (?:a )?(?:next|first) step
    phase \d+  while (?:you're|you are) (?:at it|there)
    """,
    Cue.POINTER: r"""
    lines? \d+(?:[-–]\d+)?  (?:on|at|starting at|for|in|from|and|adr?ress|fix|do|drop|explain) #?\d+[a-z]?
    (?:issue|item|point|observation|comment|finding|conflict|option|case|todo|number|step|task) #?\d+[a-z]?  #\d+
    /(?:users|home|tmp|var|private)/\S+  (?:screenshot|image|attached|attachment|above|below)
    these (?:two|three|\d+) (?:warnings|errors|issues|files|tests|cases)
    (?:see|notice|look at) (?:the |that |this )?\S+
    """,
    Cue.HEDGE: r"""
    maybe  perhaps  probably  i (?:think|guess|believe|suppose|assume|suspect|wonder)  presumably  might  may
    seems?(?: like)?  not (?:sure|certain|clear)  could be  possibly  likely  unsure  no idea
    i'd (?:lean|say|guess)  appears? to
    """,
    Cue.HYPOTHESIS: r"""
    what if  (?:we|you|i|one|it) could(?: also| maybe| just)?  could (?:we|you|also|benefit)
    if we (?:were|did|had|wanted|ever)  imagine  suppos(?:e|ing)
    would(?:n't)? (?:it )?be (?:nice|cool|great|good|better|worth|helpful)  say we
    let's (?:say|consider|assume|pretend|imagine)  one option  options?  alternatively
    might (?:want|be worth|make sense)  (?:should|shall|can|could|would) (?:we|i|you)  how about
    would (?:need|require|mean|have|work|allow)  in theory
    consider (?:\w+ly )?(?:\w+ing|whether)
    """,
    Cue.NARRATION: r"""
    ^(?:now |first,? |next,? |then |ok(?:ay)?,? |good[.,]? |so )?let me
    ^(?:now |first,? |next,? |then |ok(?:ay)?,? |good[.,]? |so )?let's (?:see|check|look|verify|run|try)
    ^(?:now |first,? |next,? |then |ok(?:ay)?,? |good[.,]? |so )?i'll
    ^(?:now |first,? |next,? |then |ok(?:ay)?,? |good[.,]? |so )?(?:i will|i'm going to|i am going to)
    ^(?:now |first,? |next,? |then |ok(?:ay)?,? |good[.,]? |so )?(?:i need to|i should|i can)
    ^(?:now |first,? |next,? |then |ok(?:ay)?,? |good[.,]? |so )?(?:i want to|i'm now|i have the|i have a)
    ^now(?:,)? (?:let|i|update|add|fix|run|check|look|the|we|to|create|that|remove|wire|rebuild|for)  let me
    ^i (?:was|am|see|now|also|can see|have|just|ran|found|missed|duplicated|only|broke|understand|apologi[sz]e)
    i'm replacing  ^looking at  ^checking  ^running  want me to  shall i  i'd (?:lean|recommend|suggest|go)
    ^found \d+  you're (?:absolutely )?right  good catch
    """,
    Cue.TASK: r"""
    ^(?:please |pls |just |also |then |now |next,? |go |and |can you |could you |would you )*<order>(?! <copula>)
    ^you (?:should|can|need to) <order>(?! <copula>)
    """,
    Cue.JOINT: r"""
    ^(?:now |so |then |ok,? )?let'?s  ^(?:we|i) (?:need|have|got) to  ^we(?:'ll| will| are going to|'re going to)
    i (?:want|need) you to  ^(?:please|pls|can you|could you)  show me  give me  ask me  for me
    """,
    Cue.REPORTED: r"""
    <reporter> (?:\w+ )?<reports>  (?:review|pr|code review) (?:comment|feedback|observation)s?
    got this (?:comment|feedback|message|error|from)  (?:comment|feedback|suggestion|observation) from
    (?:he|she) said  suggested change
    """,
    Cue.CHAT: r"""
    ^(?:ok(?:ay)?|yes|yep|yup|sure|thanks?|thank you|great|perfect|cool|nice|lgtm|looks? good|sounds good)
    ^(?:go ahead|do it|continue|proceed|agreed?|good|hm+)
    ^(?:works?|that works|it works|it worked|done|correct|exactly)
    """,
    Cue.PASSED: r"""
    tests? (?:pass|passed|are green|now pass|still pass)
    build (?:succeeds|passes|is green|is clean)
    (?:zero|no) (?:lint|linter|type|new)\w* (?:issues?|errors?|warnings?)
    here'?s (?:a |the )?(?:summary|what changed|what i)  summary of  compiles
    (?:everything|all) (?:is )?(?:green|clean|done|passes|complete)
    """,
    Cue.EVENT: r"""
    i (?:ran|tried|added|got|get|just|did|pushed|merged|committed)
    i (?:updated|deleted|fixed|restarted|tested|checked|see|saw|moved|changed|renamed)
    (?:that|it|this) (?:worked|works|didn't work|failed)
    (?:that|it|this) (?:broke|did nothing|doesn't work|still|is (?:broken|bad|good|not good|wrong|better))
    still (?:get|getting|fails?|failing|broken|see|seeing|has|have)  i'm (?:getting|seeing|confused|lost|not sure)
    (?:we|i) got  here(?:'s| is) (?:the|a|my|what|where)  isn't (?:good|working|right)  doesn't seem
    """,
    Cue.UNIVERSAL: r"""
    in (?:all|every|any|each)(?: of)? (?:my |our )?(?:projects?|repos?|repositor(?:y|ies)|codebases?)
    everywhere i work  across (?:all )?(?:my |our )?(?:projects|repos|repositories)
    (?:whatever|no matter) (?:the|which|what) (?:project|repo|language)
    (?:for|on) all (?:of )?my (?:projects|repos|machines)
    wherever i work
    """,
    Cue.OFFER: r"""
    want me to  would you like  shall i  should i  let me know  do you want  which (?:one )?do you (?:prefer|want)
    """,
}
