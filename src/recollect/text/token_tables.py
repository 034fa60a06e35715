"""Words and pieces that cost few tokens in o200k: measured, and checked word by word in the tests. Data only.

`·` is a blank, `¶` a line break.
"""

# Words that are one token, plain or capitalised, bare or after a space, and two with any ending of ENDINGS.
STEMS = """
ability able abort abs access action actions active actor actual actually adapter add added adding addition additional
address adds adjust after agent alias align all allow allowed allows almost along alpha also alt an and announcement
any apache api app append applications apply approved apps architecture archive arg args argument arguments around
array as ask asked assembly asset assets assign assigned associated ast at atomic attach audit auth author authors
auto away azure backend background bad badge bar bare base based basic basis batch baz bd be behind being below bench
benchmark beta better big binary bind bit bits black blank blob block blocking blocks blog bold bool both bound box
break bring bucket budget buf buffer bug builder building bundle burst but button by byte ca cache cached calculate
call caller calling calls can cap capture care case cases cast catalog catch category cause cd center cert chain
change changed changes changing channels char charset chart charts chat check checked checking checks choice chrome ci
class classes clean clear cli client clients clone close closed closing cm cmd code codec codes coding collect
collection collections color colors columns combined come command commands comment comments commit common community
compact compare compat compile component components compress condition conditions config configure conn connect
connection connections constants constraints construct constructor consume contact content contents continue controls
conversion converted cookie copy core cost could counter counts cover coverage covered create created creating
credentials crypto css current currently custom cut cycle data date day days db dc deal decision decode defaults
define defined defines definitions delay demo depend depending deploy deployment deprecated derived description design
dest details develop developer development device dict dictionary did digest dir direct directory disabled disconnect
discord discover disk display dist distribution do doc docker docs document documents does doing domain domains done
dot downloads dry dt due during each early echo edge edit editor effective eg element elements else embed emit enabled
encode encoding end ends engine ensure enter entry enum eq equal err errors escape especially essential eval evaluate
even event events ever every exact example exc exception exceptions exec execute execution exist existing exists exit
expand expect expected experimental export expr express expression extend extension extensions extra extract extras fa
fact factory fail failure fake fall family far fast favor few fields figure file files fill filter filters final find
fine finish first fit fits five fix fixed flag flags flex float flow fn folder follow font foo for force forget fork
form format formats formatter forms forward found frag fragment framework free fs full fully func function functions
gain gen general generate generated generic get gets getting git give glob global globals go goal going gone got grant
great green groups grow guard guide handle handler handles handling hang hard has hash have having head header headers
held hello helper helpers here hex hi hide higher hint history hit hits hl hold home hook hooks hope host hosting
hosts hot hours how hub human hyper icon idea ideal ideas ident identity idle image images img impact import imports
incoming index infer info ini init initial inject inline inner input inputs inside inspect instance instructions int
interest internal internet interval into io is issue it it's item items iter its java job jobs js json just keeping
key keyboard keys keyword keywords kind known kw lab labels lambda lang last later latest layer lead leading learn
least leave len less let lets letter levels lex lib library like limit limited limits line lines link linked links
linux list listed listen listener lists literal live load loaded loader loading loads local located lock log logging
logic logo logs long looking looks lost lot low lower lt mac machine made magic mail main major make makes making
manage management manual many map mapping maps mark marker marks master match matches matching math matter max may
maybe md mean meaning means media meet memory mention message meta metadata meth method mind mini misc miss missing
mix mock mod mode models modern modified moment months more most mounted move moving ms msg much multi multipart must
mut my name named names native near necessary need needed needs nested net network never new news nice no node non
none nor normal normalize not note notes notice now ns num numeric obj object objects of offer offers official offset
ok old older on once one online only open operations operators opt option optional options or order ordered org orig
origin original outer output overflow overview own owner package page pages param params parent parse parsed parser
part partial parts party pass passed passing password past patch path paths pending per performance permissions
persist phase pick piece pipe place places plain plan play please plugins plus point points pool pop port position
post posts potential power pre precision prefer prefix prepared present press prevent preview primary print printed
prior priority private problem process processing produce production profile prog project projects promise proper
property protect provide provided provider public publish pull pure put px py query question questions queue quick
quite quote random range rank raw reach react read reader reading reads ready real really received recent recommended
record red redirect redis reduce refer reference reflect regex register registered registry reject related released
remote remove renderer reply repo report reports repository represent request requested requests required reserved
reset resolution resolve respect responses rest restart results resume ret retrieve return returned returns review
rich risk role root route router row rows rs rule run runs rust same sample save saved say scale scan scenario
schedule schema scope scratch scripts sec seconds section sections security see seek seen select selected send sending
sense sent sentence seq sequence serial serialize serve server servers service session sessions set sets setting
settings sha shape shared ships short should show shows side sig sign signal signed silent simple single site six size
slash slot slots slow so socket solid solution solve some soon sort sorted span spec special speed split sql src st
stack standard start started starting starts stat state statement states static stats status stay std steps stop
storage store stored stores story strategy streams strings strip strong struct structure stub stuff styl style styles
sub subject success such sum summary super support supported sure svg sync sys system systems tab table tables tabs
tag tags take taken taking talk tar target targets task tasks tb td team teams tell temporary term terminal terms test
testing tests text thank thanks that that's the them theme then there they thing things think this threads throw thus
tim time timer times tip title to today todo token tokens too tool tools top topic topics total touch track tracker
tracking trail transport tree true trust trusted try trying tuple turn tutorial twitter two txt ty type typed types
typically un undefined under union unit unix until updated uploaded upon uri url usage use used user users uses using
usually util utility utils valid validate value var vars vendor ver version versions via video view virtual visit vs
vue wait walk wanted warn warning was watch way ways we weak web week went what when while why wide will window
windows wish word words worked worker workers workflow working works world wrap ws xml years yes yet you your zero zip
"""

# One token as well, but three with some ending: used only as whole words.
WHOLE = """
about above absolute abstract accept accessible account admin advanced again already alternative although always
amount analysis annotation anonymous another answer answers anything application article artifact assert async
attached attempt attr attribute attributes authenticate authentication automatic available avoid await because before
begin between bin body boolean bottom branch broken browser build built bytes callback called cancel candidate cannot
categories certain certificate cf channel character characters checkout child children choices choose chunk cleanup
click cloud cluster column combine communication comparison compatible compiler complete completed completion complex
concept conf configuration confirm consider console constraint container containers contains context control convert
cookies copyright correct count course creates creation cross cur cursor database debug decimal declare deep def
default definition del delete deleted dep dependencies dependency depth describe descriptor desired destination detail
detect dev diff difference different disable dispatch distributed documentation double download draft drop dummy dump
duplicate duration dynamic easy effect either email embedded emoji empty enable endpoint english entries env
environment error examples excellent except exp experience explicit external failed false feature features feedback
feel fetch field filename finished fixture flatten flush focus four frame fresh from front future generation generator
github given giving google graph group guess half happy height help hidden highlight homepage html http identifier
identify if ignore immutable impl implement implementation important include included includes including incorrect
increase increment individual inf information insert install installation installed instances instead integer
integration interactive interface interfaces interrupt invalid invoke issues iterator javascript john join jump keep
kernel label language languages large latin launch layout lazy left legacy length level libraries license licensed
life little location logged logger login logout lookup loop managed manager manifest margin markdown maximum medium
member members menu merge messages middle middleware migration minimal minimum minor minutes mirror model modify
module modules month mount multiple mutable namespace negative next nodes nothing null number numbers off often
operation operator other others otherwise our outside override packages padding pair parallel parameter parameters
pattern payload perf perform period permission pieces pin pipeline placeholder platform plugin policy possible
practice preferences preferred prepare pretty prev previous program progress prompt properties protocol proxy
published purpose push python queries quotes race raise raised raises rather reason recommend recursive ref references
refresh registration regular relative release reload remaining remember removed rename render rep repeat replace
replacement representation req require requires resource resources resp respond response restore restricted result
reverse revision rewrite right routes routing rules runner running runtime safe scheme score screen script search
second secret secure self semantic sep separator series services setup share sharing shell shortcut shutdown sidebar
signature since skip sleep slice small snapshot software something sometimes source sources space spaces spawn
specific stable startup step still str stream strict submit submitted subscribe suggest suite swagger switch symbol
syntax tcp temp template templates these third those though thread three timeout timestamp tmp toggle trace
traditional transform translate trigger typ ubuntu unable unexpected unicode unique unknown unless unsafe unsupported
update updates upgrade upload upper username utf utilities validation values variable variables vector verify visible
website welcome whatever wheel where whether which whole width win with within without worth wrapped wrapper write
writer writes writing written wrong yellow yield
"""

# Not words by themselves; two tokens with any ending of ENDINGS.
ROOTS = """
annot autom bear circ clos comput cons cop enumer execut gener indic kub nam numer oper optim organ pars programm qual
quest seg stor summ techn termin vari virt
"""

ENDINGS = """
s ed er ers or ors ing ings ion ions ation ations ment ments able ible al ally ic ical ly ity ies ied ive ance ence
ant ent ful age ate ated ates ating ator ize ized izes izing ization est ure ary ory ism ist ists ous ify ified
ability ual ular es y e 's
"""
# Words in -e take only these, words in -a and -o only the possessive: before others the tokenizer may cut elsewhere.
E_ENDINGS = """
s d r rs 's
"""

# The tokenizer's first merges of letters, in its order. The order matters: do not sort.
MERGES = """
in er ·t ·a en on re ·s at or es an ·d he ·c ·p is ar it al le ou ·m ·f ·w ·b as ing ·the ic et ·o ion ed el ·n ro ent
nd st ·l ·in ct om il ·h am id ·to ·e im ·re ·v ad ·th ·and ·of ·g ur ch ·de ·S ·u ut ol ·y ig se ot em ag iv qu ·T ·A
ay ·I ac ul ·C os if od tr ·k un est ab ate ir ·is ow us ation ort ·M um ·for ie ·P ter ce our ·on ap th ·con av ers
te ·be ·D ·B end ·st ist ak ly pe and ·r res ub oc ·al ess ith ·pro ·j ame ver port ·an ·L ·com ·ne ·F ass ·E ·se lic
·R ue op out ·en ht ·wh ·as ·qu ction age ·N og ·it ·you iz ·with ·that ·W ·H ip ex int ill ant urn ·this art ·tr ·G
·he ·or ·le ik ment ore rom ere ·ex ine ang ind get ain ok ib ud pl turn ·O ect ia ity ·un ·if ·at con per ata ·ch ·pr
orm ack ·are ile pt ·la import able ial ost cl ies ·cl ov ust ·i ult ave nt ·z ·we ld ight ublic ive all act ·from ·su
ire ell ard ser tring ·U ice ord ff ne de ra ans ide ase ·new ·do ·return ·The ·not ure ast ob ·V ·pl ·your In pr com
.s ·sh ime ·J are ont ·ar ype ·el ite pp ·by ·K ·que iew ail ·can ·me ·was ace ode ·int ach ·have ll ij ge elf ·par
·ad str one rou ·ab ·res St ens du form ich ong cc xt pon ·get ber Re ·all ath io ject ·te ·In ·des ign alue ork ve
·will ·class lo ome ·Th ize ·public au ull ions der ook ·us ance ould ·im put ient .get ·per ·vo ext ated yst ous so
ple erv par cr ress ck ert ey ount ma ·go ·so ake ary up vent ory pro ft ·dis ear ·ma unction ·cont err _t ystem ·out
row ·und ug ien ah ual this ock ·has we fer ·et ·no div ·em Name ·Y ER ition ·up ri ·man ery ·pre ·es ·sa ink eng 's
ek ·but ng ·est cre ound gr name ·na ·St app ier Id ·Re ree Con ors String ose text ·set lect ·my ild che ations iel
ical ann to ew ·am own ark ther ener ·more ps List cept gh Pro odel ph ement ings add IN ike ool ·var ade ·ro ON The
set ivate und ·gr atch ung ·str clud ·op Ex ·inter ·col ·part her .l ·one vel ick ater rr ec iss ·void ton ·sp ·ag .m
·they ·const ep inal les ·da return ·Ch tt enc ·our ·their ays ·pe me ove ·comp ·self ange ·app anc ·def urr ·time Com
quest ·any ado ven ·ob eth fo az ·over data ·die ·about ef .c ence ·del led ·stat ss alse ava ents ise View RE ·work
ry pos ank val oy ish ·er eb ·function sh ST ·which pec oint ·ent reat ble que ix duct tem aw .com line Th tion abel
Cont ·add sp ely irst public self mer uk ·bl Type ·van ied rit ale essage arg ific ield oll erm uch dd cess Data ·bu
·String vo co ·fe ada .f crip ·use ian .p ·else Res Ch ty eg ·para ·id ·x ·also ·who ·System ese ervice         if ·It
·der AT ash .set ·his ox ·some umber ·data uth ID Col .S ·ver ator ner pect ·private igh any ·pos lement aj ·null ·Pro
·acc ·when EN ·je ·end fig ait ke ·other yn ·off _s Text old ger view ·af ·year _m erson als red .b read ·br tern
·like OR _c ten li ·name ·need ource AR ·kn def urrent roup ception date ·di ·reg ·just ·This ·act ute ·org ·ser ·her
.A _f wo ·been ·may ·les ·true quire let its ·min uct ·een ·there param son _p ict ai ax ating ·Un ·rec .t ys ader
·them ·real ·ac cont ·che oun .d ates ·por ·ind To ices itt Cl new ·Com ·ph ·hel       return ·comm utton LE ning ·los
ues ·co Tr ·what ·bet ond ·We arch ·ap trib ·met uf user vid ible yle ·value ength very ponse of ·fr iet class ·lo
ault ask ·het Ob ·av ·had ·val ·sc ages ·du ames be var IT clude ·cons ·med ·det ument _l ana ·would AL roll ·false ·Q
·Z ·type ole ular min ·how ·dr AN ful ·dif til na ·were 't .h ople ·into ·sur ows ·Tr amp ·De air ·cre ·make rol ina
ta (f SE ·Con ·result _b ·rel _id ·loc ics ·sub error ethod ze ·fl ·Se af ho ·java ody ml ts ·list ins _d ww En ·than
itle ente ·first ica ·aw ·bo By Se Par je ·import ·tem Item value ious work ause print lick ule ·back ense ·start ·ein
·only ·You ures ·ke ower arr ·its raw ·fil ·string ces ·inform ·form ments urs ities ayer ·look ·let ·static ember day
·best Value ler ·under ·trans ender ·most ·find ·person ·ed ustom ·help olog string ·Wh ·ng ateg lection den oth ·rem
·people ·Al ·car const la ·He ·ass irect ·want ari ession ren ·An bo gram .D br ·don ·long ·gu ·sk ern Im wa ·inst
load rough ·um ha ets _C ·final ·arr ·read orld uc hed .F reak fr atus ·ge ·ve ting ·test no bl Object ·every ·Ar
·spec ·should ponent ES .j ·know ood ility Exception ·sm ·mon [i ·cr ·she ·Ex wn  public ·well ush ux ·pres ·sch ms
·si yp ·den tra iver ager ·il ·exper ·som col ative word reg ·hand url try rap ons ream ily iness ·mod ·dat ·then Get
ym ·through use ccess ·pol uss ·user ·char ·inv aut fore idth ·opt .n fl icht ats ·require ·If User ·sim using ends
·right serv ·pass ka amb (s ·stud ui sert ·very ough ife ais ref _S void ·As ior ·these ·web State ased ·dec ·sol
·product ·case cond CT key ·good ene ·mak ars ni ·cor ·ka ·vis ·bel rray ·prof ·dur ·down ·bus ·where ·two ·see unc De
·sl ·post ·att perty Time ·pour ·aut ·high ·after rem ·ext php for cent .g ouse ru ackage ature ister UL .add ·even
ational ·now ·Sh ara ·art ·And ·eff ouble ote ience round ·men ·una ider rror uff ivers ·file ando action ersion arn
oin .st include ·sup ·mark Set ify ane rite umn els ·many arget Ind ·os ·las htt
"""

# Pieces that are one token exactly as written.
AS_IS = r'''
!"¶ ![ !¶ !¶¶ """ """¶ """¶¶ """¶¶¶ ") ")),¶ "))¶ "))¶¶ "), "),¶ "). "):¶ ");¶ ")]¶ ")¶ ")¶¶ ")¶¶¶ ", ",¶ ". ".¶ ".¶¶
": ":¶ "; ";¶ ";¶¶ "< "> ">< "></ ">¶ ">¶¶ "] "]),¶ "])¶ "])¶¶ "], "],¶ "]. "]:¶ "]¶ "]¶¶ "` "{ "})¶ "},¶ "}¶ "}¶¶ "¶
"¶¶ "¶¶¶ ## ### #### #¶ &utm ') ')) '))¶ '), '),¶ '). '):¶ ');¶ ');¶¶ ')¶ ')¶¶ ', ',¶ '. '.¶ ': ':¶ '; ';¶ ';¶¶ ']
'])¶ '],¶ ']¶ '¶ '¶¶ (" ("")¶ ("", (", ("- ("-", ("-- (". (".", ("/ ("/")¶ ("/", ("_ ("__ (& (' ('./ ('/ (( ((" (() ()
()) ()))¶ ()))¶¶ ()),¶ ()). ()):¶ ());¶ ())¶ ())¶¶ ())¶¶¶ (), (),¶ (). ().__ ().¶ (): ():¶ ();¶ ();¶¶ ()[ ()]¶ ()`
()}¶ ()¶ ()¶¶ ()¶¶¶ (* (** (- (...) (Base (Exception (None (True ([ ([" (_ (__ (` (a (app (arg (args (b (base (body (c
(cls (code (config (content (ctx (d (data (default (e (err (error (event (exc (fd (file (filename (fn (func (get (h (i
(id (int (item (k (key (kwargs (len (line (lines (list (m (map (max (message (mod (module (msg (n (name (new (node (o
(obj (options (os (other (p (path (pkg (prefix (r (raw (request (result (root (scope (self (source (str (sys (t (text
(type (url (v (val (value (x ({ ({" ({¶ (¶ )" )",¶ )"¶ )( )) )))¶ )))¶¶ )), )),¶ )). )):¶ ));¶ ))¶ ))¶¶ ))¶¶¶ )** ),
),¶ ). ).__ ).¶ ).¶¶ ).¶¶¶ ): ):¶ ):¶¶ ); );¶ );¶¶ )[ )] )])¶ )],¶ )]¶ )]¶¶ )` )s )} )}¶ )¶ )¶¶ )¶¶¶ ** **, **¶ **¶¶
*, *. *¶ ++ ,)¶ ,¶ ,¶¶ -- ---¶ ---¶¶ -->¶¶ -B -C -Control -Type -US -Z -a -agent -all -an -and -api -app -as -b -based
-block -build -by -c -ca -cache -ci -cli -code -compatible -config -core -data -defined -demand -dev -dir -end -file
-for -from -http -id -in -is -it -json -level -like -line -list -memory -name -node -of -on -only -op -options -out
-page -party -path -plugin -project -readable -run -sdk -server -sh -side -source -specific -style -test -text -the
-time -to -token -type -types -up -url -use -user -utils -v -value -with -www -x -z ." ."""¶ ."""¶¶ .")¶ .")¶¶ .",¶
."¶ ."¶¶ .'¶ .) .)¶ .)¶¶ ., .. ... ...¶ ...¶¶ .:¶¶ .</ .Any .Bytes .Class .Client .PIPE .Path .TYPE ._ .__ ._¶¶
.abspath .accept .all .allow .app .append .args .argv .base .basename .body .build .cache .call .check .clear .client
.close .co .code .compile .config .copy .create .css .data .db .de .debug .decode .default .dev .dirname .dumps .e
.encode .end .endswith .env .environ .error .errors .example .exc .exists .exit .extend .fail .file .filename .find
.flush .format .from .func .github .githubusercontent .gnu .google .googleapis .group .gz .has .headers .host .html
.id .in .index .info .insert .io .is .isdir .items .join .js .json .key .keys .last .length .line .load .local .log
.lower .main .make .map .mark .match .max .md .message .meta .min .module .modules .mozilla .msg .name .net .new .no
.node .on .open .option .options .org .params .parent .parse .partial .path .pdf .platform .png .pop .port .post .push
.py .python .raw .read .receive .register .remove .replace .request .resolve .response .root .rs .rstrip .run .scope
.send .setdefault .sh .size .source .split .start .startswith .stat .status .stderr .stdin .stdout .stream .strip .sub
.svg .target .test .text .time .to .ts .txt .type .types .unlink .update .upper .url .util .utils .v .value .values
.version .wait .warn .wikipedia .write .x .yaml .yml .youtube .¶ .¶¶ .¶¶¶ /", /",¶ /"¶ /# /${ /) /)¶ /*. /. /.¶¶ // />
/>¶ /? /@ /API /LICENSE /O /Web /_ /__ /actions /api /app /bar /bin /blob /blog /build /c /client /config /d /doc
/docs /e /en /foo /html /http /img /index /issues /json /latest /lib /licenses /main /master /my /new /node /or
/packages /path /pkg /plugin /plugins /project /projects /python /reference /releases /s /security /share /src /test
/to /tree /tutorial /user /v /wiki /x /{ /¶ /¶¶ /¶¶¶ :", :% :** :// :/// :: ::: ::{ ::¶ ::¶¶ :</ :] :])¶ :]¶ :` :¶ :¶¶
;¶ ;¶¶ <!-- </ <T <a <div <img <p =" ="# ="/ =% =' =( =- =/ =< =False =None =True =[ =[" =_ =data =f =lambda =max
=name =self =str =true ={ ={" >" >", >"¶ >( >) >, >,¶ >. >.¶ >/< >< ></ >= >>> >` >`¶ >¶ >¶¶ ?. ?: ?q ?¶ ?¶¶ @gmail
@pytest AI API Alternatively BSD CI CLI CSS Classifier DB DEBUG DEFAULT DELETE ERROR GET HEAD HOME HTML HTTP Here's
However IO Implemented JS JSON JWT Let's MAX NAME NODE NOT OPTIONS OS PATH PI POST README RFC SQL SQLite SSL TLS TYPE
URL UTF VERSION We're [" ["_ [' [- [..., [: [:- [Any [P [T [[ [] [_ [` [arg [idx [int [k [key [len [list [name [self
[str [t [type [¶ \n \x ]", ]( ]) ]))¶ ]), ]),¶ ]):¶ ])¶ ])¶¶ ])¶¶¶ ], ],¶ ]. ].¶¶ ]: ]:¶ ];¶¶ ][ ][" ][] ]] ]]) ]],
]],¶ ]]:¶ ]]] ]]¶ ]]¶¶ ]¶ ]¶¶ ]¶¶¶ _, _. _API _BASE _CACHE _CLIENT _CONFIG _DATA _DEFAULT _DIR _ENV _ERROR _FIELDS
_FILE _FLAGS _FOUND _HEADER _ID _KEY _LENGTH _LIMIT _LOAD _MAX _METHOD _NAME _NAMES _NO _NOT _OK _ONLY _PATH _PORT
_PREFIX _PROTOCOL _RE _REQUIRED _SIZE _SOURCE _STR _TIMEOUT _TO _TYPE _TYPES _URL _VALUE _VERSION _WRITE __ __", __":¶
__( __()¶ __()¶¶ __(* __(¶ __)¶ __)¶¶ __, __,¶ __. __.__ __: __¶ __¶¶ _a _alias _all _and _app _arg _args _argument
_as _ascii _async _at _attrs _base _body _by _bytes _cache _call _callable _check _class _cls _code _column _config
_content _context _count _ctx _data _default _dict _dir _dirs _end _env _error _errors _exc _exception _extensions
_extra _factory _fields _file _filename _files _for _form _format _from _func _function _get _group _handler _hash
_header _headers _hook _hooks _html _ids _if _in _indent _index _info _init _int _is _item _items _json _key _keys
_kwargs _len _length _level _line _lineno _lines _list _map _match _message _method _mode _module _modules _ms _msg
_name _names _nan _new _no _node _none _not _obj _object _of _on _only _option _options _opts _or _output _param
_params _parts _path _paths _plugin _pos _prefix _py _raw _re _repr _request _response _result _root _row _scope _set
_size _source _spec _src _stack _start _state _status _stdout _str _stream _string _suffix _table _tb _test _text
_thread _time _timeout _to _token _true _tuple _type _types _url _urls _user _v _val _value _values _var _vars
_version _width _with _write _{ `) `). `)¶ `, `,¶ `. `.¶ `.¶¶ `: `; `] `]( `` ``.¶¶ ``` `s `¶ `¶¶ abc ascii astro
attrs bash classmethod cls ctx datetime etc fallback fd fixtures getitem gt helm https jsx kwargs localhost npm pip
pkg pytest rb repr rstrip similar slug sqlite ssl startswith staticmethod stderr stdin stdio stdout typing usr uv vite
wb www yaml {¶ }" }") }")¶ }")¶¶ }", }",¶ }". }"¶ }"¶¶ }' }', }'¶ }) });¶ });¶¶ })¶ })¶¶ }, },¶ }-{ }. }.{ }/ }: }:{
}; };¶ };¶¶ }</ }` }{ }¶ }¶¶ }¶¶// }¶¶¶ ·!= ·!== ·"" ·""" ·"""¶ ·"""¶¶ ·"") ·""). ·"")¶ ·"", ·"",¶ ·"". ·"":¶ ·""¶
·""¶¶ ·"$ ·"${ ·"% ·"' ·"( ·")¶ ·"*" ·", ·",¶ ·"- ·"-- ·". ·"." ·"./ ·"/ ·": ·"< ·"@ ·"[ ·"_ ·"__ ·"` ·"{ ·"¶ ·#: ·#¶
·${ ·%( ·&& ·&&¶ ·'" ·'# ·'% ·'' ·''¶ ·'-- ·'. ·'.' ·'../ ·'../../ ·'./ ·'/ ·'@ ·'_ ·'__ ·'{ ·'~/ ·'¶ ·(! ·(" ·(# ·('
·(( ·() ·(),¶ ·()¶ ·()¶¶ ·(* ·(- ·(. ·(< ·([ ·(_ ·(` ·({ ·({¶ ·(¶ ·),¶ ·). ·): ·):¶ ·);¶ ·)¶ ·)¶¶ ·)¶¶¶ ·*( ·** ·*,
·*,¶ ·*. ·*/¶ ·*¶ ·+= ·+¶ ·-- ·--- ·--> ·-->¶ ·-->¶¶ ·--¶ ·-= ·-> ·-¶ ·.. ·... ·...) ·...)¶ ·..., ·...¶ ·...¶¶ ·...¶¶¶
·../../ ·./ ·/* ·/**¶ ·// ·/>¶ ·/>¶¶ ·:: ·:= ·:]¶ ·<!-- ·</ ·<< ·<= ·== ·=== ·=> ·=>¶ ·=¶ ·>= ·>> ·>>> ·?? ·ABC ·ALSO
·AND ·ANSI ·ANY ·API ·APIs ·ASCII ·AUTHORS ·April ·Astro ·CA ·CDN ·CI ·CLI ·CPU ·CSS ·Callable ·DEFAULT ·DNS ·Debian
·Don't ·ERROR ·Enables ·FROM ·GCC ·GET ·GNU ·HEAD ·HTML ·HTTP ·HTTPS ·Helm ·However ·I'm ·I've ·ID ·IDs ·INFO ·IO ·IP
·IPv ·ISO ·Improved ·Iterable ·JS ·JSON ·Kubernetes ·LICENSE ·MAX ·MB ·MCP ·MIME ·MIT ·Microsoft ·Mozilla ·NAME ·NOT
·NOTE ·OAuth ·OCI ·OK ·OR ·OS ·PATH ·POST ·PR ·Postgre ·README ·RFC ·Receive ·SDK ·SEE ·SQL ·SQLite ·SSL ·SSR ·TCP
·TLS ·TODO ·TYPE ·Tokio ·UI ·URL ·URLs ·UTC ·UTF ·Useful ·VERSION ·X ·XML ·XXX ·YAML ·[" ·[' ·[( ·[[ ·[[[ ·[] ·[]).
·[])¶ ·[])¶¶ ·[], ·[],¶ ·[]¶ ·[]¶¶ ·[_ ·[` ·[{ ·[{" ·[¶ ·\¶ ·],¶ ·]¶ ·]¶¶ ·_, ·__ ·`" ·`$ ·`${ ·`' ·`( ·`. ·`/ ·`< ·`[
·`_ ·`` ·``` ·```¶ ·`{ ·abc ·accepted ·accepts ·accessed ·achieve ·across ·adopted ·advantage ·affect ·affected
·afterwards ·against ·algorithm ·algorithms ·aliases ·allowing ·alone ·alongside ·alternatives ·analyze ·annotations
·announce ·anywhere ·appear ·appears ·applied ·applies ·approach ·appropriate ·apt ·arbitrary ·aren't ·argparse
·artifacts ·assume ·asynchronous ·asyncio ·attempts ·attrs ·automatically ·avoids ·aware ·backward ·backwards ·bash
·become ·becomes ·beginning ·begins ·behavior ·behaviour ·believe ·benefit ·benefits ·beyond ·binaries ·bodies
·boundary ·branches ·breaking ·browsers ·bugs ·builds ·builtin ·bump ·bundled ·caching ·callable ·callbacks ·came
·can't ·candidates ·capabilities ·captured ·careful ·carries ·caught ·caused ·causes ·certificates ·chosen ·chunks
·closely ·cls ·combination ·comes ·communicate ·compared ·compatibility ·compiled ·completely ·complexity ·concepts
·concerns ·concurrency ·configurations ·configured ·configuring ·confirmed ·conflict ·conflicts ·considered
·consistency ·consistent ·contain ·contained ·containing ·contexts ·contribute ·contributed ·contributions
·contributors ·convenience ·convenient ·converting ·copied ·correctly ·correctness ·corresponding ·couple ·covers ·ctx
·customize ·cwd ·daemon ·databases ·datetime ·debugger ·debugging ·decide ·decided ·decisions ·declaration ·declared
·decoded ·decorator ·dedicated ·defaultdict ·defining ·demand ·depends ·described ·describes ·describing ·designed
·detailed ·detected ·detection ·determine ·determined ·developers ·didn't ·differences ·differs ·difficult ·directives
·directly ·directories ·discard ·discuss ·discussion ·discussions ·distinct ·documented ·doesn't ·don't ·dotted
·dropped ·duplicates ·dynamically ·earlier ·easier ·easiest ·easily ·ecosystem ·efficient ·effort ·elif ·elsewhere
·emitted ·enables ·enabling ·encoded ·encounter ·encountered ·endpoints ·enforce ·enough ·entire ·entirely ·enumerate
·environ ·environments ·equivalent ·errno ·escaped ·escaping ·established ·etc ·everything ·everywhere ·evolve
·exactly ·excited ·exclude ·excluded ·executed ·executing ·expensive ·expires ·explain ·explicitly ·expose ·exposed
·exposes ·failing ·fails ·failures ·fallback ·familiar ·faster ·fd ·filenames ·filesystem ·finally ·fixes ·fixtures
·flexibility ·fmt ·focused ·following ·follows ·formatted ·formatting ·fp ·frameworks ·frequently ·frozen
·functionality ·functools ·further ·generally ·generating ·getattr ·gives ·goes ·guaranteed ·gzip ·handled ·handlers
·happen ·happened ·happens ·hasattr ·hashlib ·haven't ·helm ·helpful ·helps ·hierarchy ·highly ·hints ·holds ·hosted
·hostname ·however ·href ·https ·hypothesis ·ids ·idx ·ignored ·immediately ·implementations ·implemented
·implementing ·implements ·implicit ·imported ·importing ·improve ·improved ·improvements ·improving ·incompatible
·incomplete ·incorrectly ·indent ·independent ·independently ·indexes ·indicate ·indicates ·individuals ·inferred
·infinite ·infrastructure ·inherit ·inherited ·injected ·insecure ·installing ·installs ·integers ·integrate
·integrations ·intended ·intentionally ·intermediate ·internally ·interpreted ·interpreter ·introduce ·introduced
·introduces ·invoked ·involved ·isinstance ·isn't ·isolated ·itertools ·itself ·joined ·keeps ·kept ·kinds ·kwargs
·larger ·let's ·lifecycle ·lightweight ·likely ·lint ·locally ·longer ·loops ·maintain ·maintained ·maintaining
·malformed ·managing ·manually ·marked ·matched ·meant ·measured ·mechanism ·mechanisms ·memories ·merged ·metavar
·methods ·might ·migrate ·milliseconds ·moved ·nargs ·narrow ·newer ·newline ·newly ·noqa ·normalized ·normally ·npm
·numpy ·obtain ·obtained ·occur ·occurred ·occurs ·omit ·omitted ·ones ·onto ·opens ·opts ·ordinary ·outcome ·overhead
·overridden ·overrides ·overriding ·overwritten ·packaging ·pairs ·parsing ·particular ·particularly ·passes ·patches
·pathlib ·patterns ·pdb ·performed ·permitted ·pinned ·pip ·pkg ·placed ·platforms ·populate ·possibly ·pragma
·precedence ·precise ·preserve ·preserved ·previously ·prints ·probably ·problems ·processed ·processes ·produced
·produces ·programs ·prompts ·properly ·protocols ·provides ·providing ·proxies ·purposes ·pytest ·q ·raising ·reasons
·rebuild ·rebuilt ·receive ·receives ·receiving ·recursively ·regardless ·regression ·releases ·relevant ·rely ·remain
·remains ·removes ·removing ·renamed ·rendered ·rendering ·renders ·repeated ·replaced ·replaces ·replacing ·reported
·reporting ·repositories ·repr ·represents ·requirement ·requirements ·requiring ·resolved ·resolving ·responsible
·restrictions ·resulting ·returning ·reuse ·reversed ·robust ·rv ·safely ·safety ·said ·satisfy ·saw ·says ·scenarios
·schemes ·searching ·secrets ·seems ·semantics ·sends ·sensitive ·separate ·separated ·separately ·served ·serving
·setattr ·several ·shipped ·shouldn't ·shown ·shutil ·significant ·similar ·similarly ·simplify ·simply ·situation
·situations ·skipped ·slightly ·smaller ·snapshots ·snippet ·snippets ·specifically ·specification ·specified
·specifies ·specify ·specifying ·sqlite ·ssl ·stale ·statements ·stays ·stderr ·stdin ·stdout ·streaming ·stripped
·subclass ·subclasses ·subprocess ·subsequent ·successful ·successfully ·suffix ·suggested ·suggestion ·suggestions
·suitable ·summaries ·supplied ·supply ·supports ·suppress ·symbols ·synchronous ·takes ·teardown ·tells ·tempfile
·tested ·themselves ·there's ·they're ·threading ·thrown ·together ·towards ·traceback ·traces ·trailing ·transformed
·treat ·treated ·tried ·tries ·triggered ·triggers ·truncate ·tuples ·turns ·twice ·typing ·typo ·unchanged
·underlying ·underscore ·understand ·uninstall ·unpack ·unused ·updating ·upgraded ·upgrades ·upgrading ·upstream
·urllib ·useful ·user's ·uv ·variants ·variety ·various ·verbose ·vulnerability ·waiting ·warnings ·wasn't ·we'll
·we're ·we've ·websocket ·whenever ·whitespace ·whose ·wildcard ·won't ·wrappers ·wrapping ·wraps ·writable ·wrote
·yaml ·yields ·you'd ·you'll ·you're ·you've ·yourself ·{! ·{" ·{' ·{_ ·{{ ·{} ·{}". ·{}). ·{})¶ ·{}, ·{},¶ ·{}¶ ·{}¶¶
·{¶ ·|= ·|| ·|¶ ·|¶¶ ·}) ·}),¶ ·});¶ ·});¶¶ ·})¶ ·})¶¶ ·}, ·},¶ ·};¶ ·};¶¶ ·}}¶ ·}¶ ·}¶¶ ·}¶¶¶ ·¶ ·¶¶ ··¶ ····¶
'''
