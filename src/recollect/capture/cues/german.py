"""German: the cues that name a rule, a preference, a reason or a doubt outright."""

from recollect.capture.cues.cue import Cue

# Phrases are parted by two blanks or by the end of a line.
GERMAN: dict[Cue, str] = {
    Cue.ASKED: r"""
    merk(?:e)? dir  denk(?:e)? (?:bitte )?(?:daran|dran)  vergiss (?:bitte )?nicht  behalte? im kopf
    """,
    Cue.STANDING: r"""
    immer  niemals  nie  ab jetzt  ab sofort  von nun an  künftig  in zukunft  grundsätzlich  jedes mal
    auf keinen fall  wir (?:verwenden|benutzen|nutzen) (?:nur|kein\w*|immer)
    """,
    Cue.PREFERENCE: r"""
    (?:ich|wir) bevorzuge\w*  (?:ich|wir) (?:hätte\w* |mag |mögen |will |wollen )?(?:es )?lieber
    (?:ich|wir) (?:hasse\w*|mag|mögen)
    """,
    Cue.ALIKE: r"""
    wie überall(?: sonst)?  wie (?:bei )?(?:alle[nr]?|die|den) andere\w*
    """,
    Cue.NORM: r"""
    soll(?:te|ten|en|st)?  muss  müssen  darf  dürfen
    """,
    Cue.WANT: r"""
    (?:wir|ich) (?:wollen|will|möchte\w*) (?:kein\w*|nicht|das)?
    """,
    Cue.USAGE: r"""
    wir (?:verwenden|benutzen|nutzen|haben)  liegt (?:in|im|unter)
    """,
    Cue.REASON: r"""
    weil  damit  deshalb  deswegen  wegen
    """,
    Cue.CONTRAST: r"""
    statt  anstatt  sondern  nicht
    """,
    Cue.CAUSE: r"""
    (?:die )?ursache  das problem (?:ist|war)  der fehler (?:ist|war|liegt)  liegt daran
    """,
    Cue.FIX: r"""
    behoben  die lösung
    """,
    Cue.STATE: r"""
    ist  sind  wird  werden
    """,
    Cue.DENIAL: r"""
    nicht  kein\w*  ohne
    """,
    Cue.ONCE: r"""
    diesmal  für diesen (?:pr|commit|branch)  vorerst  heute  jetzt gerade
    """,
    Cue.HEDGE: r"""
    vielleicht  wahrscheinlich  ich glaube  vermutlich
    """,
    Cue.HYPOTHESIS: r"""
    was wäre wenn  wir könnten  könnten wir  man könnte
    """,
    Cue.NARRATION: r"""
    ^ich (?:werde|schaue|prüfe)
    """,
    Cue.UNIVERSAL: r"""
    in allen (?:meinen )?projekten
    """,
}
