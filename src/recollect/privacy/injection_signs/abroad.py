"""The most typical orders in other languages, and in English without its spaces.

Kana are written without their marks: `folded` removes them like accents.
"""

from recollect.privacy.injection_signs import reasons
from recollect.privacy.injection_signs.sign import Sign

OTHER_LANGUAGES = (
    # German
    Sign(
        reasons.IGNORE,
        ("ignorier", "vergiss", "missacht", "vergesst"),
        r"\b(?:ignorier\w*|vergiss|vergesst|missachte\w*) (?:\w+ ){0,3}?(?:vorherig\w+|bisherig\w+"
        r"|vorig\w+|obig\w+|fruher\w+|vorangegangen\w+|vorhergehend\w+|urspunglich\w+|ursprunglich\w+) "
        r"(?:\w+ )?(?:anweisung\w*|instruktion\w*|befehl\w*|regeln|vorgaben|prompts?|aufgabe\w*|auftrag\w*"
        r"|nachricht\w*)\b|\b(?:ignorier\w*|vergiss) (?:alles|alle anweisungen)(?: \w+)?,? (?:davor|zuvor"
        r"|bisher\w*|oben|was (?:dir|man|ich|du))",
    ),
    Sign(
        reasons.ROLE,
        ("du bist",),
        r"\bdu bist (?:jetzt|nun|ab (?:sofort|jetzt)|von nun an) (?:ein|eine|kein|der|die|nicht|mein)\b"
        r"|\bab (?:sofort|jetzt) bist du (?:ein|eine|kein|der|die|mein|nicht)\b",
    ),
    Sign(
        reasons.HIDE,
        ("nutzer", "benutzer", "anwender", "niemand"),
        r"\b(?:sag|sage|erzahl|erzahle|verrate|verrat|erwahne|teile|melde) (?:\w+ ){0,2}?(?:dem|der|den"
        r"|deinem|gegenuber dem) (?:nutzer|benutzer|anwender|user)\w* (?:\w+ ){0,2}?(?:nichts|nicht"
        r"|niemals)\b(?!,? (?:wann|ob|wie|was|dass|welche\w*|die|den|das|warum))|\b(?:sag|erzahl"
        r"|verrate?) (?:das |dies |es )?niemand",
    ),
    Sign(
        reasons.LEAK,
        ("sende", "schick", "lade"),
        r"\b(?:sende|schicke?|lade)\b[^.!?]{0,60}?\b(?:umgebungsvariablen|zugangsdaten|passwort\w*"
        r"|passworter|schlussel|geheimnisse|\.env)\b[^.!?]{0,60}?\b(?:an|nach|zu|auf) (?:https?://|\S+@|"
        r"(?:diese|folgende|meine|die) )",
        r"\b(?:nie|niemals|nicht|keine?)\b",
    ),
    # French
    Sign(
        reasons.IGNORE,
        ("ignore", "oubli", "tiens pas", "tenez pas"),
        r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte d\w+) (?:\w+ ){0,3}?(?:instructions?"
        r"|consignes?|directives?|regles|ordres|messages?) (?:\w+ )?(?:precedent\w*|anterieur\w*|ci-dessus"
        r"|initiales?|recues?)\b|\b(?:ignore|oublie)[zr]? (?:tout ce qui precede|tout ce qu(?:e|i) "
        r"(?:\w+ ){0,3}?(?:avant|dit|demande))",
    ),
    Sign(
        reasons.ROLE,
        ("tu es", "vous etes"),
        r"\b(?:tu es|vous etes) (?:maintenant|desormais|dorenavant) (?:une?|mon|ma|le|la)\b",
    ),
    Sign(
        reasons.HIDE,
        ("utilisateur", "personne"),
        r"\bn[e'] ?(?:le |lui |en )?(?:dis|dites|dire|parle|parlez|mentionne[zr]?|revele[zr]?"
        r"|informe[zr]?) (?:surtout )?(?:rien|pas|jamais)(?: (?:cela|ceci|ca|de cela|en))? (?:a )?(?:l'"
        r"|votre |ton )utilisateur\b",
    ),
    # Spanish, Portuguese, Italian
    Sign(
        reasons.IGNORE,
        ("instruc", "ordenes", "indicaciones", "istruzioni", "regras"),
        r"\b(?:ignor[aei]\w*|olvid[ae]\w*|descart[ae]\w*|ha[czg]\w* caso omiso de|esquec[ae]\w*"
        r"|desconsider[ae]\w*|dimentica\w*) (?:\w+ ){0,4}?(?:instrucciones|ordenes|indicaciones|reglas"
        r"|directrices|instrucoes|ordens|regras|istruzioni|regole) (?:\w+ )?(?:anteriores?|previas?"
        r"|de arriba|iniciales|acima|precedenti|iniziali|recibidas)\b|\b(?:ignora|olvida|ignore|esqueca) "
        r"(?:\w+ ){0,3}?(?:anteriores|previas|precedenti) (?:instrucciones|instrucoes|istruzioni"
        r"|ordenes)\b",
    ),
    Sign(
        reasons.ROLE,
        ("ahora eres", "eres ahora", "de ahora", "agora voce", "ora sei"),
        r"\b(?:ahora eres|eres ahora|(?:a partir )?de ahora(?: en adelante)?,? (?:eres|seras)|agora voce e"
        r"|ora sei) (?:una?|mi|el|la|um|uma|uno)\b",
    ),
    Sign(
        reasons.HIDE,
        ("usuari", "utente"),
        r"\b(?:no|nao|non) (?:se lo |le |lo |ao |o )?(?:digas?|menciones?|reveles?|informes?|cuentes?|diga"
        r"|conte|dire|menzionare) (?:nada |esto |nunca |isso |nulla )?(?:de esto |sobre esto )?(?:al|a la"
        r"|ao|a|all') ?(?:usuari[oa]|utente)\b(?! (?:cuando|si|que))",
    ),
    # Russian
    Sign(
        reasons.IGNORE,
        ("игнор", "забуд"),
        r"(?:(?:про)?игнориру\w+|забуд\w+) (?:\w+ ){0,3}?(?:предыдущ\w+|прежн\w+|прошл\w+|выше) (?:\w+ )?"
        r"(?:инструкц\w+|указан\w+|команд\w+|правил\w*)",
    ),
    # Chinese, Japanese
    Sign(
        reasons.IGNORE,
        ("忽略", "无视", "無視", "忘记", "忘記", "忘掉", "不要理会", "不用管"),
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不用管)(?:掉|你|我|您|的|所有|一切|全部|任何|之?前|以?上面?|先前|前面|此前|以前|系统|給|给|说|說|收到|过|了|，"
        r"|,| ){1,14}(?:指令|指示|提示词?|提示|命令|规则|規則|说明|說明|要求|内容|內容|对话|對話)",
    ),
    Sign(
        reasons.IGNORE,
        ("指示", "命令"),
        r"(?:これまで|以前|上記|前|先ほど)(?:の|まて|すへて|全て){0,4}(?:指示|命令|フロンフト)(?:を|は)?(?:すへて|全て)?(?:無視|忘れ)",
    ),
    Sign(
        reasons.ROLE,
        ("你现在是", "你現在是", "现在开始", "现在起", "現在開始", "現在起"),
        r"你[现現]在是(?:一|我|没|沒|不受|个|個)|从?[现現]在[起开開](?:始)?[，, ]?你(?:是|将|將|必须|必須|要听|只)",
    ),
    Sign(
        reasons.HIDE,
        ("用户", "用戶", "使用者"),
        r"(?:不要|别|別|切勿|请勿|不得|无需)(?:再)?(?:告诉|告訴|告知|通知|提醒|让|讓|向)(?:任何)?(?:用户|用戶|使用者)(?:知道|提及|透露|说明|此事|这|這|提起"
        r"|发现|，|。|,|\.|$)",
    ),
    Sign(
        reasons.LEAK,
        ("密钥", "密码", "环境变量", "凭据", "令牌", "密鑰", "密碼"),
        r"(?:把|将|將|请)[^。.!?]{0,24}?(?:密钥|密码|环境变量|凭据|令牌|密鑰|密碼)[^。.!?]{0,16}?(?:发送|上传|发给|发到|傳送|發送|提交)(?:到|给"
        r"|至|給)? ?(?:https?|以下|这个|我|外部|\w+@)",
    ),
)


# The most typical orders without spaces and dashes, and with letters for digits: "1 g n 0 r e - p r e v ...".
SQUEEZED = (
    Sign(
        reasons.IGNORE,
        ("ignor", "disregard", "forget"),
        r"(?:ignore|disregard|forget)(?:all|any|the|my|your|of|these|those){0,3}(?:previous|prior|earlier"
        r"|preceding|above|system)(?:system)?(?:instruction|prompt|directive|guideline)",
    ),
    Sign(reasons.HIDE, ("tell", "inform"), r"donott?(?:ell|inform)theuserabout(?:this|it)"),
    Sign(reasons.ROLE, ("nowdan", "anythingnow", "nowunr"), r"youarenowdan|doanythingnow|youarenowunrestricted"),
    Sign(reasons.ROLE, ("newsystemprompt",), r"newsystempromptyou"),
)
