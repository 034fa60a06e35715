"""Spanish: the cues that name a rule, a preference, a reason or a doubt outright."""

from recollect.capture.cues.cue import Cue

# Phrases are parted by two blanks or by the end of a line.
SPANISH: dict[Cue, str] = {
    Cue.ASKED: r"""
    recuerda (?:que|esto|siempre)  ten en cuenta  no (?:te )?olvides
    """,
    Cue.STANDING: r"""
    siempre  nunca  jamás  a partir de ahora  de ahora en adelante  cada vez que  bajo ninguna circunstancia
    """,
    Cue.PREFERENCE: r"""
    prefier[oe]\w*  preferimos  me gusta\w*  odio
    """,
    Cue.ALIKE: r"""
    como en todas partes  como (?:en )?(?:los|las) demás  igual que en el resto
    """,
    Cue.NORM: r"""
    debe(?:n|mos|ría\w*)?  tiene[ns]? que  hay que
    """,
    Cue.WANT: r"""
    (?:no )?quer(?:emos|ía\w*)  no quiero
    """,
    Cue.USAGE: r"""
    usamos  utilizamos  está en
    """,
    Cue.REASON: r"""
    porque  ya que  por eso  para que  debido a
    """,
    Cue.CONTRAST: r"""
    en (?:lugar|vez) de  sino  pero
    """,
    Cue.CAUSE: r"""
    la causa  el problema (?:es|era)  se debe a  el error (?:es|era)
    """,
    Cue.FIX: r"""
    la solución  arreglad[oa]  corregid[oa]
    """,
    Cue.STATE: r"""
    es  son  está(?:n)?
    """,
    Cue.DENIAL: r"""
    nunca  sin
    """,
    Cue.ONCE: r"""
    esta vez  por ahora  en este (?:pr|commit)  hoy
    """,
    Cue.HEDGE: r"""
    quizás?  tal vez  creo que  probablemente
    """,
    Cue.HYPOTHESIS: r"""
    y si  podríamos  se podría
    """,
    Cue.NARRATION: r"""
    ^(?:ahora )?voy a  ^déjame
    """,
    Cue.UNIVERSAL: r"""
    en todos mis proyectos
    """,
}
