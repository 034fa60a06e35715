"""Other languages: only outright forms, and phrases that retract them. English names of tools and practices do the rest.

Two spaces or the end of a line separate phrases; `^`: only at the beginning of a sentence.
"""

from recollect.capture.said.cues.cue import Cue

_GERMAN: dict[Cue, str] = {
    Cue.ASKED: "merke? dir  denke? (?:bitte )?(?:daran|dran)  vergiss (?:bitte )?nicht  behalte? im kopf",
    Cue.LASTING: "immer  niemals  nie  ab jetzt  ab sofort  von nun an  künftig  grundsätzlich  auf keinen fall",
    Cue.OURS: "wir (?:verwenden|benutzen|nutzen|haben|schreiben|testen)  wir \\w+ (?:nur|kein\\w*|nie\\w*)  bei uns",
    Cue.PREFERENCE: "(?:ich|wir) bevorzuge\\w*  (?:ich|wir) (?:mag|mögen|hätte\\w*) .*lieber",
    Cue.REFUSAL: "^(?:bitte )?keine?n? (?:mehr )?\\w+  hör auf",
    Cue.REASON: "weil  deshalb  deswegen  wegen",
    Cue.ONCE: "diesmal  für diesen?  vorerst  heute  morgen  jetzt  gerade  später  mal  noch  bis \\w+",
    Cue.HEDGE: "vielleicht  wahrscheinlich  ich glaube  vermutlich",
    Cue.HYPOTHESIS: "was wäre wenn  könnten?  würden?  wäre",
    Cue.UNIVERSAL: "in allen (?:meinen )?projekten",
    Cue.ELSEWHERE: "in meiner alten  früher",
}
_SPANISH: dict[Cue, str] = {
    Cue.ASKED: "recuerda  ten en cuenta  no (?:te )?olvides",
    Cue.LASTING: "siempre  nunca  jamás  a partir de ahora  de ahora en adelante  cada vez que",
    Cue.OURS: "usamos  utilizamos  tenemos  no (?:usamos|hacemos)  corremos  desplegamos",
    Cue.PREFERENCE: "prefiero  preferimos",
    Cue.REFUSAL: "nada de  ^no (?:uses|pongas|añadas|hagas|toques)  deja de",
    Cue.REASON: "porque  ya que  por eso  debido a",
    Cue.ONCE: "por ahora  hoy  mañana  esta vez  solo para est[ea]  luego",
    Cue.HEDGE: "quizás?  tal vez  creo que  a lo mejor",
    Cue.HYPOTHESIS: "y si  podríamos  imagina",
    Cue.UNIVERSAL: "en todos mis proyectos",
    Cue.ELSEWHERE: "en mi antigu[oa]",
}
_FRENCH: dict[Cue, str] = {
    Cue.ASKED: "souviens[- ]toi  rappelle[- ]toi  n'oublie pas  garde en tête  note que",
    Cue.LASTING: "toujours  jamais  désormais  dorénavant  à partir de maintenant  à chaque fois",
    Cue.OURS: "on utilise  nous utilisons  on (?:ne )?\\w+ (?:jamais|toujours|que|pas)  chez nous",
    Cue.PREFERENCE: "je préfère  nous préférons",
    Cue.REFUSAL: "arrête de  ^pas de  ^n'utilise  ^(?:n'ajoute|ne \\w+) pas",
    Cue.ONCE: "pour l'instant  aujourd'hui  demain  cette fois  maintenant",
    Cue.HEDGE: "peut-être  je crois  je pense",
    Cue.HYPOTHESIS: "et si  on pourrait  imagine",
    Cue.UNIVERSAL: "dans tous mes projets",
    Cue.ELSEWHERE: "mon ancienne?  ma vieille",
}
_PORTUGUESE: dict[Cue, str] = {
    Cue.ASKED: "lembra(?: que|-te)?  lembre(?:-se)?  não (?:se )?esqueça  tenha em mente",
    Cue.LASTING: "sempre  nunca  jamais  a partir de agora  de agora em diante  toda vez que",
    Cue.OURS: "usamos  a gente usa  não usamos  \\w+ fica em",
    Cue.PREFERENCE: "prefiro  preferimos",
    Cue.REFUSAL: "nada de  ^não (?:use|coloque|adicione|faça|mexa)  para de",
    Cue.ONCE: "por enquanto  hoje  amanhã  dessa vez  agora",
    Cue.HEDGE: "talvez  acho que",
    Cue.HYPOTHESIS: "e se  poderíamos",
    Cue.UNIVERSAL: "em todos os meus projetos",
    Cue.ELSEWHERE: "no meu antigo",
}
_RUSSIAN: dict[Cue, str] = {
    Cue.ASKED: "запомни  имей в виду  не забудь  не забывай",
    Cue.LASTING: "всегда  никогда  впредь  отныне  с этого момента  каждый раз",
    Cue.OURS: "мы используем  мы не \\w+  у нас",
    Cue.PREFERENCE: "я предпочитаю  мы предпочитаем",
    Cue.REFUSAL: "перестань  хватит  ^не (?:используй|добавляй|пиши|трогай)",
    Cue.ONCE: "сейчас  сегодня  завтра  пока  на этот раз  потом",
    Cue.HEDGE: "может быть  наверное  думаю",
    Cue.HYPOTHESIS: "что если  если бы",
    Cue.UNIVERSAL: "во всех (?:моих )?проектах",
    Cue.ELSEWHERE: "на прошлой работе",
    Cue.REBUKE: "ты всегда  ты никогда",
}
LANGUAGES: dict[str, dict[Cue, str]] = {
    "de": _GERMAN, "es": _SPANISH, "fr": _FRENCH, "pt": _PORTUGUESE, "ru": _RUSSIAN,
}  # fmt: skip

# Written without spaces between words: a phrase may begin anywhere.
UNSPACED: dict[str, dict[Cue, str]] = {
    "zh": {
        Cue.ASKED: "记住  请记得  别忘了",
        Cue.LASTING: "总是  始终  永远  从不  从现在起  以后都  一律  必须  每次",
        Cue.OURS: "我们(?:都|只)?(?:用|使用|不用)  这个项目(?:用|使用|是)",
        Cue.PREFERENCE: "我(?:更)?喜欢  我倾向",
        Cue.REFUSAL: "不要(?:再)?(?:用|加|写)  别(?:再)?(?:用|加|写)  禁止",
        Cue.ONCE: "今天  明天  现在  暂时  这次  先",
        Cue.HEDGE: "也许  可能  大概",
        Cue.HYPOTHESIS: "如果  假设",
        Cue.UNIVERSAL: "所有项目",
    },
    "ja": {
        Cue.ASKED: "覚えて(?:おいて|ください|ね)  忘れないで",
        Cue.LASTING: "必ず  常に  絶対に?  今後は?  毎回",
        Cue.OURS: "このプロジェクトは  うちは  を使って(?:います|いる)",
        Cue.PREFERENCE: "のほうが好き  方が好き",
        Cue.REFUSAL: "使わないで  しないで  禁止  やめて",
        Cue.ONCE: "今日  明日  とりあえず  今回  いったん",
        Cue.HEDGE: "かもしれ  たぶん  多分",
        Cue.HYPOTHESIS: "もし",
        Cue.UNIVERSAL: "すべてのプロジェクト  全プロジェクト",
    },
}
