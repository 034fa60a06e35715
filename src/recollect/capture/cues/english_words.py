"""English words that stand in the same place of a phrase."""

ENGLISH_WORDS: dict[str, str] = {
    "order": """
    add address adress apply adjust adapt analy[sz]e audit bring build bump call change check clean commit compare
    confirm consider continue convert copy create debug delete deploy describe design determine do document drop
    ensure examine execute expand explain explore export extend extract fetch figure fill find finish fix format
    generate get give go handle have help hide implement improve include inline install integrate investigate keep
    kill leave lint list load look make merge migrate mock modify move name note open optimi[sz]e organi[sz]e
    parse pick plan port print proceed propose provide pull push put read rebase redo refactor regenerate release
    remove rename render reorder replace report reproduce research resolve restart restore return revert review
    rewrite run save scan search see send set setup show simplify skip sort split squash start stop store submit
    summari[sz]e support swap switch sync take tell test think tidy tweak trace track translate trim try turn undo
    unify update upgrade use verify view wait walk wire wrap write
    """,
    "doing": "do did have use does done",
    "copula": "is are was takes? has should will must",
    "done": """
    added removed renamed moved replaced extracted changed updated refactored merged introduced implemented
    switched deleted converted dropped created modified migrated rewrote rewritten split inlined simplified
    consolidated wired exposed exported registered bumped pinned upgraded downgraded disabled enabled wrapped
    centrali[sz]ed unified
    """,
    "reporter": """
    he she they someone somebody reviewers? copilot customer client boss manager colleague teammate article
    tutorial stackoverflow chatgpt gemini plan blog review comment ticket issue
    """,
    "reports": """
    said says told claims? claimed mentions? mentioned suggests? suggested wrote thinks? wants? recommends?
    recommended reported
    """,
    "trouble": "issue problem bug culprit cause failure error reason gap mismatch gotcha catch trap",
    "breaks": """
    happens? fails? failed failing breaks? broke crash(?:es|ed)? hangs? blocks? occurs? times?.out took takes
    missing empty truncated dropped ignored skipped
    """,
    "handled": """
    typed parsed stored compared read treated interpreted cast serialized encoded hardcoded computed evaluated
    """,
    "asset": """
    repo repository project codebase monorepo app service stack team ci pipeline cli tool library api db database
    server backend frontend client package module workflow
    """,
    "source": """
    docs? documentation spec source readme changelog api library sdk framework compiler runtime protocol standard
    """,
}
