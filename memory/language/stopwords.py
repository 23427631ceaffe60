"""Function words by language: they show which language a text is in, and a question loses them before it is searched.

Closed classes only: articles, pronouns, prepositions, conjunctions, auxiliaries, particles, the commonest adverbs.
Codes are ISO 639-1. Languages that few people write have short lists, enough to tell them apart.
"""

from __future__ import annotations

STOP_WORDS: dict[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "a about above after again against ago ain all already also although always am among an and another "
        "any anyone anything are aren around as at away be became because been before being below between "
        "both but by can cannot cant could couldn couldnt d did didn didnt do does doesn doesnt doing don "
        "done dont down during each either else etc even ever every everything few for from further get gets "
        "getting give go goes going gone got had hadn hadnt has hasn hasnt have haven having he her here hers "
        "herself hey hi him himself his i if im in into is isn isnt it its itself ive just know let like ll m "
        "many may maybe me mean might mine more most much must my myself nearly neither never no nobody none "
        "nor not nothing now of off often oh ok okay on once one ones only onto or other others our ours "
        "ourselves out over own per perhaps please quite rather re really s same shall she should shouldn so "
        "some somebody someone something still such t tell than thanks that thats the their theirs them "
        "themselves then there these they thing things this those though through thus till to together too "
        "toward towards under unless until up upon us used using ve very via was wasn wasnt we well were "
        "weren what whatever when where whether which while who whoever whom whose why how will with within "
        "without won wont would wouldn wouldnt yes yet you your yours yourself yourselves",
        "de": "ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes "
        "auch auf aus bei beim bereits bin bis bist bitte da dabei dadurch dafür dagegen daher dahin damals "
        "damit danach daran darauf daraus darf darin darüber darum das dass daß davon davor dazu dein deine "
        "deinem deinen deiner deines dem den denen denn der deren des dessen dich die dies diese diesem "
        "diesen dieser dieses dir doch dort du durch dürfen ein eine einem einen einer eines einige einigen "
        "einmal er erst es etwa etwas euch euer eure eurem euren eurer für gab gegen gehabt gewesen gibt ging "
        "habe haben habt hat hatte hatten hattest hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren "
        "ihrer ihres im immer in indem ins ist ja jede jedem jeden jeder jedes jemand jene jenem jenen jener "
        "jenes jetzt kann kannst kein keine keinem keinen keiner keines können könnte könnten könntest mal "
        "man manche mein meine meinem meinen meiner meines mich mir mit möchte möchtest muss musst musste "
        "müssen nach nachdem nein nicht nichts nie niemand noch nun nur ob oder ohne schon sehr sei seid sein "
        "seine seinem seinen seiner seines seit sich sie sind so sogar solche soll sollen sollst sollte "
        "sollten sondern sonst trotzdem über um und uns unser unsere unserem unseren unserer unter viel viele "
        "vielen vom von vor wann war waren warst warum was weil weiter welche welchem welchen welcher welches "
        "wem wen wenn wer werde werden wessen wie wieder wieso will willst wir wird wirst wo wobei wodurch "
        "wofür woher wohin wollen wollte wollten womit woran worauf worüber wovon wozu wurde wurden während "
        "würde würden würdest zu zum zur zwar zwischen weshalb weißt weiss danke",
        "fr": "à ai aie ainsi alors après as au aucun aucune aujourd auquel aura aurait aussi autre autres aux "
        "avaient avais avait avant avec avez avoir avons ayant beaucoup bien c car ce ceci cela celle celles "
        "celui ces cet cette ceux chaque chez ci combien comme comment contre d dans de depuis des donc dont "
        "du durant elle elles en encore entre es est et étaient étais était étant été être eu eux fait fais "
        "faire fois font furent hors il ils j je jusqu jusque l la là laquelle le lequel les lesquelles "
        "lesquels leur leurs lors lui m ma mais malgré me même mêmes mes mien moi moins mon n ne ni non nos "
        "notre nous on ont ou où par parce parmi pas pendant peu peut peux plus plusieurs pour pourquoi "
        "pouvez qu quand que quel quelle quelles quels quelque quelques qui quoi s sa sans se sera serait ses "
        "si sien soi soit sommes son sont sous suis sur t ta tandis te tel telle tels tes toi ton toujours "
        "tous tout toute toutes très tu un une va vais vers voici voilà vont vos votre vous y merci oui",
        "es": "a al algo alguien algún alguna algunas alguno algunos allí ante antes aquel aquella aquí así aun aún "
        "aunque bajo bien cada casi como cómo con contra cosa cual cuál cuales cuáles cualquier cuando cuándo "
        "cuánto cuánta cuántos cuántas de del desde después donde dónde dos durante e el él ella ellas ellos "
        "en entonces entre era eran eres es esa esas ese eso esos esta está estaba estado están estar estas "
        "este esto estos estoy fue fueron fui ha había habían haber hace hacer hacia hago han has hasta hay "
        "he hemos hizo hoy incluso la las le les lo los luego más me menos mi mí mía mientras mío mis misma "
        "mismo mucha muchas mucho muchos muy nada ni ningún ninguna no nos nosotros nuestra nuestro nuestros "
        "nunca o os otra otras otro otros para pero poco por porque pues puede pueden puedo que qué quien "
        "quién quienes quiero se sea según ser será si sí sido siempre sin sino sobre sois solo sólo somos "
        "son soy su sus también tampoco tan tanto te tenía tener tengo ti tiene tienen tienes todas todavía "
        "todo todos toda tú tu tus tuyo un una unas uno unos usted ustedes va vamos vosotros voy vuestra y ya "
        "yo gracias",
        "it": "a abbiamo ad agli ai al alcuni alla alle allo allora altra altre altri altro anche ancora appena "
        "avere aveva avevano avevo avete c che chi ci ciò cioè coi col come con contro cosa così cui d da "
        "dagli dai dal dalla dalle dallo davanti degli dei del della delle dello dentro di dopo dove dov due "
        "e è ebbe ecco ed era erano eravamo ero essere fa fai fanno fare fatto fino fra fu gli già ha hai "
        "hanno ho i il in infatti insieme invece io l la là le lei li lo loro lui ma me meno mentre mi mia "
        "mie miei mio molta molte molti molto ne negli nei nel nella nelle nello nessun nessuno niente no noi "
        "non nostra nostro nulla o ogni oggi oltre ora per perché perchè però persone più poco poi può qual "
        "quale quali qualche qualcosa qualcuno quando quanta quante quanti quanto quasi quel quella quelle "
        "quelli quello questa queste questi questo qui s sarà se sei sempre senza si sia siamo siete solo "
        "sono sopra sotto sta stata stati stato su sua sue sugli sui sul sulla suo suoi tanto te ti tra tu "
        "tua tue tuo tuoi tutta tutte tutti tutto un una uno va vi voi vostra vostro grazie",
        "pt": "a à ainda além algo alguém algum alguma algumas alguns ali antes ao aos apenas apesar aquela aquele "
        "aquilo aqui as às assim até através bem cada com como contra cujo da das de dela dele deles depois "
        "desde dessa desse desta deste disso do dos durante e é ela elas ele eles em embora enquanto entre "
        "era eram essa essas esse esses esta está estão estar estas estava estavam este estes estou eu faz "
        "fazer feito fez foi fomos for foram há isso isto já la lá lhe lhes lo logo mais mas me mesma mesmo "
        "meu meus minha minhas muita muitas muito muitos na não nas nada nem nenhum nenhuma nessa nesse nesta "
        "neste ninguém no nos nós nossa nossas nosso nossos nunca num numa o onde os ou outra outras outro "
        "outros para pela pelas pelo pelos per perante pode podem pois por porque porquê porém posso pouco "
        "pra qual quais qualquer quando quanto quantos quantas que quê quem se seja sem sempre ser será seu "
        "seus si sido só sob sobre somos sou sua suas também tanto te tem têm tenho tens ter teu teus teve "
        "tinha tive toda todas todo todos tu tua tudo um uma umas uns vai você vocês vos vou obrigado "
        "obrigada",
        "nl": "aan af al alle alleen alles als altijd andere ben bent beter bij daar daarna dan dat de deze die dit "
        "doch doe doen door dus een eens en er erg geen geweest gewoon haar had hadden heb hebben hebt heeft "
        "hem hen het hier hij hoe hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen kunt "
        "laten maar me meer men met mij mijn moest moet moeten na naar niemand niet niets nog nooit nu of om "
        "omdat ons onze ook op over reeds sinds steeds te tegen ten ter terwijl toch toen tot tussen u uit uw "
        "van vanaf vandaan veel via vinden voor waar waarom waarvan wanneer want waren was wat we weer wel "
        "welk welke werd werden wie wij wil wilde word worden wordt zal ze zei zelf zich zij zijn zo zonder "
        "zou zouden zullen bedankt",
        "ru": "а без более больше будет будто бы был была были было быть в вам вами вас ваш ваша ваше ваши весь "
        "вместо во вот впрочем все всегда всего всем всеми всех всю всё вы где да даже два для до другой его "
        "ее её ей ему если есть еще ещё ж же за зачем здесь и из или им именно ими иногда их к как какая "
        "какие каким каких какого какое какой каком какому какую когда кого ком кому конечно который которая "
        "которое которые кто куда ли либо лишь между меня мне много мной мог могу может можно мои моего моей "
        "моем мой моя моё мы на над надо наконец нам нами нас наш наша наше наши не него нее неё ней нельзя "
        "нем нему нет нею ни нибудь никогда ним ними них ничего но ну о об один однако он она они оно опять "
        "от откуда перед по под после потом потому почему почти при про раз разве с сам сама сами само свой "
        "своя свое свои себе себя сейчас сколько со совсем так также такая такие такое такой там те тебе тебя "
        "тем теми теперь тех то тобой тогда того тоже той только том тому тот тою три ту тут ты у уж уже хоть "
        "хотя чего чей чем через что чтоб чтобы чуть чья чьё эта эти этим этих это этого этой этом этому этот "
        "эту я твой твоя твое твои спасибо",
        "uk": "а або адже але б без би був була були було бути в вам вас ваш ваша ваші весь ви від він вона вони "
        "воно все всі вже де для до дуже є з за зараз звідки зі і із й його йому її їй їм їх їхній коли кого "
        "кому куди ли має мене мені ми міг мій може моя моє мої між на над нам нас наш наша наші не немає ні "
        "ніж ній них ну о один однак ось по під після про при саме свій своя себе скільки собі та так така "
        "таке такий також там те тебе тепер ти тим тих то тобі того тож той тому треба три тут у усе усі хіба "
        "хоч хто це цей цього цьому ця ці через чи чий чим чого чому що щоб ще я як яка яке який які яких "
        "якщо",
        "pl": "a aby albo ale ani aż bardzo bez bo by być był była było były będzie będą ci cię co czemu czy czyli "
        "czego dla do gdy gdzie go i ich im inny iż ja jak jaka jaki jakie jako je jednak jego jej jemu jest "
        "jestem jeszcze jeśli już każdy kiedy kogo komu kto która które który których ku lub ma mam mi mnie "
        "moja moje może można mu musi my na nad nam nas nasz nie nic nich nim niż no o od ona one oni ono "
        "oraz pan po pod ponieważ przed przez przy są sam się skąd sobie swój ta tak takie także tam te tego "
        "tej tem ten też to tobie tu tutaj twój ty tych tylko tym u w we wam was wiele więc wszystko z za "
        "zawsze ze że żeby",
        "cs": "a aby ale ani ano asi až bez bude budou by byl byla byli bylo být co což či další do ho i já jak "
        "jako jaký jaká jaké je jeho její jejich jen ještě ji jiné již jsem jsi jsme jsou jste k kam kde kdo "
        "kdy když ke který která které kteří kolik má mají máte mě mezi mi mít mne mnou můj může my na nad "
        "nám náš ne nebo něco nejsou není nic než o od odkud on ona oni ono pak po pod podle pokud pouze "
        "prací proč pro proto protože před přes při s se si své svůj ta tak také takže tam te tě ten tento "
        "této tím to tohle toho tom tomu tu tuto ty tyto u už v vám váš ve více však všechno vy z za zda zde "
        "ze že",
        "sv": "alla allt än att av blev bli blir då där de dem den denna deras dess det detta dig din dina ditt du "
        "efter ej eller en er ett från för genom ha hade han hans har här henne hennes hon honom hur i icke "
        "inte in ingen jag ju kan kunde man med mellan men mig min mina mitt mot mycket när någon något några "
        "ni nu och också om oss på så sådan sedan sig sin sina sitt själv ska skall skulle som till under upp "
        "ut utan vad var vara varför varit vart vem vems vi vid vilka vilken vilket vilja är åt över",
        "da": "af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din dine disse "
        "dit dog du efter eller en end er et for fordi fra få før gennem ham han hans har havde have hende "
        "hendes her hun hvad hvem hver hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind ingen jeg "
        "jer kan kunne man mange med meget men mig min mine mit mod måtte når ned noget nogle nogen nu og "
        "også om op os over på selv sig sin sine sit skal skulle som sådan thi til ud under var vi vil ville "
        "vor være været",
        "no": "alle at av bare ble bli blir både da de deg dem den denne der dere deres det dette din disse ditt du "
        "eller en enn er et ett etter for fordi fra før gjennom ha hadde han hans har henne hennes her hun "
        "hva hvem hver hvilke hvilken hvis hvor hvordan hvorfor når i ikke ingen inn jeg kan kunne man mange "
        "med meg meget mellom men min mine mitt mot mye nå ned noe noen og også om opp oss over på seg selv "
        "sin sine sitt skal skulle slik som så til ut uten var vi vil ville vår være vært",
        "fi": "ei eikä ehkä eivät emme en enää että he heidän heitä hän häneen hänelle hänen häntä ja jo joita joka "
        "jokin joku jonka jos jossa jota jotka jälkeen kaikki kanssa kenen kenelle keitä ketä koska kuin "
        "kuinka kuka kun kyllä me meidän meille mihin mikä miksi milloin minkä minua minulla minulle minun "
        "minä mitä missä mistä miten mukaan mutta myös ne niiden niin niitä no noin nyt näin ole olen olet "
        "oli olivat olla on ovat paljon pitää se sekä sen siellä siihen siinä sille sinä sinun sitten sitä "
        "siis tai te teidän tämä tämän tässä tätä tuo tuon vai vain vaikka voi",
        "hu": "a abban ahhoz ahogy ahol aki akik akkor alatt amely ami amikor annak az azért azok azon azt aztán "
        "azzal be benne bár csak de e ebben egy egyik el ellen elő először én ennek erre és ez ezek ezt ezzel "
        "fel fog hanem ha hiszen hogy hogyan hol honnan hova ide igen ill itt jól kell ki kicsoda kik kinek "
        "le lehet lesz lett már meg mely melyik mert mi miatt miért mikor mint mit más mindig minden most ne "
        "neki nem nincs nélkül ő ők olyan ott össze pedig sem s szerint te tehát ti úgy után vagy vagyok "
        "valaki valami van vannak vele vissza volt voltak volna",
        "ro": "a acea aceasta această aceea acest acesta acestea aceste acestor acolo acum ai aici al ale am ar are "
        "asta astfel atunci au avea avem aveți ca că care cât câte câți când ce cel cei cele celor chiar cine "
        "cu cui cum da dacă dar de deci deja despre din după ea ei el ele era este eu fără fi fie fiind fost "
        "iar îi îl în încă între la le li lor lui mai mâine mea mele meu mi mie mine mult multe mulți ne nici "
        "nimic noi noastră nostru nu o ori pe pentru peste poate prin sa să sale sau se si și sine spre sub "
        "sunt suntem sus ta te tot toate toți tu un una unde unei unele unii unor unui vă voastră voi vor "
        "vostru",
        "ca": "a al als altra altre amb aquest aquesta aquests això allò cada com de del dels després doncs e el "
        "ella ells els em en encara ens era es és està estan et fer fins ha hi han he i jo l la les li "
        "llavors m més meu meva mi molt n ni no nosaltres o on per perquè però qual quan quant que què qui "
        "quin quina s ser sense seu seva si són sobre també tan te tenir teu tot tots un una unes uns va van "
        "vostè",
        "tr": "acaba ama ancak aslında az bana bazı belki ben beni benim bile bir biraz biri biz bize bizi bizim bu "
        "buna bunda bundan bunu bunun burada çok çünkü da daha de defa değil diye dolayı eğer en gibi göre "
        "hangi hani hatta hem hep hepsi her hiç ile ise için kaç kadar karşı kendi ki kim kime kimin kimse mi "
        "mı mu mü nasıl ne neden nerede nereye niçin niye o ona ondan onlar onların onu onun orada oysa öyle "
        "pek rağmen sana sen seni senin siz sizin sonra şey şu şimdi tüm var ve veya ya yani yok zaman",
        "id": "ada adalah agar akan aku anda antara apa apakah atas atau bagaimana bagi bahwa banyak beberapa belum "
        "berapa bisa bukan dalam dan dapat dari dengan di dia hanya harus hingga ia ini itu jadi jika juga "
        "kamu kami kapan karena ke kenapa kepada kita lagi lain lalu maka mana masih mengapa mereka namun nya "
        "oleh pada para saat saja saya sebagai sebuah sedang sejak semua seperti serta siapa sudah supaya "
        "tapi telah tentang tersebut tetapi tidak untuk yang",
        "vi": "anh ai bạn bao bị bởi cái các cả chị cho chưa chỉ có của cũng cùng đã đang đây đến để đi điều do đó "
        "được em gì giờ hay hơn khi không là lại lúc mà mình mỗi một nào nên nếu này những như nhưng ở phải "
        "qua ra rằng rất rồi sao sau sẽ tại thì theo thế tôi trên trong từ và vào vẫn về vì với vậy",
        "et": "aga aina ei ega ehk et ja ka kas kes keda kelle kui kuhu kuidas kus kõik ma me meie mida miks millal "
        "mille millest minu mina mis mitte mul mulle nad need nii ning nüüd oled olema olen oleme oli olid "
        "oma on pole sa sama see seda sel selle sest siin siis sina sinu ta te teie tema too või veel välja",
        "lt": "ar apie aš be bei bet bus buvo bėgi ir iš į jau jei jį jis jie jo jų jos kad kai kaip kam kas ką "
        "kiek kieno kiekvienas koks kuris kuri kurie kur labai man mano mane mes mūsų ne nei nes nėra nuo o "
        "per pas po prie prieš su savo sau tad tai taip tavo ten tie tik to tu tuo už visi visų yra",
        "eu": "al baina bat bera beste da dago dela den dira ditu dituzte du dugu dut edo egin ere eta ez gu hau "
        "hori hura izan jaun nik ni nola non noiz nor norekin oso zein zen zer zergatik ziren zuen zuk zu",
        "eo": "al ankaŭ ankoraŭ aŭ ĉar ĉe ĉi ĉiuj ĉu da de do dum ekde el en estas esti estis ĝi ĝis ili iu ĵus kaj "
        "ke kia kiam kie kien kiel kies kio kiu kiuj kun la laŭ li mi mia ne nek ni nun nur ol oni per plej "
        "pli por post pri pro sed se si sur ŝi tamen tie tiel tio tiu tre vi",
        "ga": "a ach ag agus an ar as atá bhfuil bhí cá cad cathain cé conas do faoi gach go i is le leis liom mar "
        "mé na ní níl nó ó seo sé sí sin sinn tá tú um",
        "sr": "а али ако би био била били било бити већ где да до за зашто и из или има ја је јер још ка када као "
        "ко кога који која које кроз међу мене ми мој моја му на над нам нас наш не него није њих њему њен "
        "њено ни о ова ове ови овај од он она они оно па по под после при са сам само се смо су сте та тај "
        "тако те ти то тога у уз шта што ће",
        "el": "αλλά αν από αυτά αυτή αυτό αυτός για γιατί δε δεν εγώ εδώ εί είμαι είναι είχα είχε ένα ένας εμείς "
        "εσύ έχει έχω η ή ήταν θα και κάθε κατά κι μα μας με μετά μέχρι μη μην μια μου μπορεί να ο οι όμως "
        "όπου όπως όταν ότι όχι πάντα ποια ποιος ποιο πόσο πότε που πού πολύ πριν προς πως πώς σαν σας σε στη "
        "στην στο στον στους στις σου τα τη την της τι τις το τον του τους των τότε τώρα ως",
        "ar": "إلى إذا أن أنا أنت أنتم أو أي أين أيضا إن إنه أنه إلا التي الذي الذين اللذان الى ان او اي اين بعد "
        "بعض بل بين بها به تحت تكون تلك ثم جدا حتى حول حيث خلال ذلك على عليه عليها عن عند عندما غير فقط فوق "
        "في فيه فيها قبل قد كان كانت كل كم كما كيف لا لأن لدي لدى لقد لكن لكنه له لها لهم لم لماذا لن ليس "
        "ليست ما ماذا متى مثل مع معه من منذ منه منها نحن نعم هذا هذه هل هم هن هنا هناك هو هي هؤلاء و وقد وكان "
        "ولا يا يكون كنت بي لي",
        "fa": "آن آنها آیا اگر است از او این اینجا اینکه با باید بر برای بود بودن بودند به بی پس پیش تا تو چرا چه "
        "چند چون چگونه چیست حتی خود خواهد دارد دارم داشت در دو دیگر را شد شده شود کجا کدام کرد کرده کسی کند "
        "که کی ما من می نمی نه نیز نیست ها های هر هم همه هیچ و وقتی ولی یا یک",
        "he": "את אני אנחנו אתה אתם או אבל אז איזה אין איך איפה אם אל אלה אנו באיזה בין גם דרך היא היה היו היתה הוא "
        "הם הן זה זאת זו יותר יש כאשר כבר כדי כי כל כמה כמו לא לאן להיות לו לי למה לפני מאוד מאיפה מה מהם מי "
        "מתי על עד עוד עם עכשיו רק של שלי שלך שלו שם",
        "hi": "अब अगर अपना अपनी अपने आप इन इस इसका इसकी इसके इसमें उन उनका उनकी उनके उस उसका उसकी उसके एक और कब कभी "
        "कर करता करते करना करने कहाँ कहां का कि कितना कितने किया किस किसने किसी की के को कोई कौन क्या क्यों "
        "कैसे गया जब जहाँ जा जैसे जो तक तब तुम तो था थी थे दिया दो न नहीं ने पर फिर बहुत भी मुझे में मेरा "
        "मेरी मेरे मैं मगर या यह यहाँ ये रहा रही रहे लिए लेकिन वह वहाँ वे से हम हमारे ही हुआ हुई हुए है हैं "
        "हो होता होती होते होना",
        "th": "ก็ กับ การ ของ คือ จะ ดัง ได้ ที่ นี้ นั้น เป็น มี ไม่ ให้ และ แล้ว หรือ อยู่ อะไร ใคร ไหน เมื่อไหร่ ทำไม อย่างไร เท่าไหร่",
        "ta": "அது அந்த அவர் அவள் அவன் அவை ஆனால் இது இந்த இல்லை இவர் உள்ள என என்ன என்று எங்கே எப்படி எப்போது ஏன் "
        "ஒரு ஓர் நான் நாம் நீ நீங்கள் பிறகு மற்றும் மேலும் யார் வரை",
    }.items()
}
