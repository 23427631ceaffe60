"""The words for time in languages of Europe: what is a month, a week, last, since, ago."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language. Alternatives are separated by spaces, groups that are counted by `|`.

    Attributes:
        months: January to December.
        weekdays: Monday to Sunday.
        seasons: spring to winter.
        units: day, week, month, year.
        numbers: one, two, ... twelve.
        steps: last, this, next.
        days: the day before yesterday, yesterday, today, tomorrow, the day after.
        weekend: Saturday and Sunday.
        ago, lately: patterns of a number `{n}` and a unit `{u}`.
        in_: what introduces a month, a season or a year.
        bounds: since, until, before, after, around.
        parts: the beginning, the middle, the end of a month or year.
        between: before the two days of a range.
        and_: between them: first those that say so only after such a word, then those that do alone.
        names: months that are words or names as well, and count with a capital or a number only.
    """

    months: str
    weekdays: str
    seasons: str
    units: str
    numbers: str
    steps: str
    days: str
    weekend: str
    ago: str
    lately: str
    in_: str
    bounds: str
    parts: str
    between: str
    and_: str
    names: str = ""


EUROPE: Mapping[str, Lexicon] = {
    "en": Lexicon(
        months="january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|"
        "october oct|"
        "november nov|december dec",
        weekdays="monday mondays|tuesday tuesdays|wednesday wednesdays|thursday thursdays|friday fridays|saturday "
        "saturdays|"
        "sunday sundays",
        seasons="spring|summer|autumn fall|winter",
        units="day days|week weeks|month months|year years",
        numbers="one a an|two couple|three few|four|five|six|seven|eight|nine|ten|eleven|twelve",
        steps="last past previous|this current|next coming upcoming",
        days="the_day_before_yesterday|yesterday|today tonight this_morning this_evening|tomorrow|"
        "the_day_after_tomorrow",
        weekend="weekend weekends",
        ago=r"(?:about |around )?{n}(?: of)? {u} ago",
        lately=r"(?:the )?(?:last|past) {n}(?: of)? {u}",
        in_="in during of for on throughout in_the during_the of_the over_the",
        bounds="since from|until till up_to by through|before|after|around about near",
        parts="early the_beginning_of beginning_of the_start_of start_of|mid the_middle_of middle_of|late "
        "the_end_of end_of",
        between="between from",
        and_="and|to until till through",
        names="may march mar jan jun april june august",
    ),
    "de": Lexicon(
        months="januar jan jänner|februar feb|märz maerz mrz|april apr|mai|juni jun|juli jul|august aug|september "
        "sept sep|"
        "oktober okt|november nov|dezember dez",
        weekdays="montag montags|dienstag dienstags|mittwoch mittwochs|donnerstag donnerstags|freitag freitags|"
        "samstag samstags sonnabend|sonntag sonntags",
        seasons="frühling frühjahr|sommer|herbst|winter",
        units="tag tage tagen|woche wochen|monat monate monaten monats|jahr jahre jahren jahres",
        numbers="ein eine einem einer einen|zwei|drei paar ein_paar|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf",
        steps="letzten letzte letzter letztes letztem vorigen vorige voriger voriges vergangenen vergangene "
        "vergangener|"
        "diesen diese dieser dieses diesem|nächsten nächste nächster nächstes nächstem kommenden kommende kommender",
        days="vorgestern|gestern|heute heute_früh heute_morgen heute_mittag heute_abend|morgen morgen_früh|übermorgen",
        weekend="wochenende wochenenden",
        ago=r"vor (?:etwa |rund |ungefähr )?{n} {u}",
        lately=r"(?:in |während )?(?:den |die |der )?(?:letzten|vergangenen) {n} {u}",
        in_="im in am von vom während für im_jahr im_jahre",
        bounds="seit ab seit_dem ab_dem|bis bis_zum bis_ende|vor vor_dem|nach nach_dem|um gegen etwa um_den "
        "rund_um ungefähr",
        parts="anfang|mitte|ende",
        between="zwischen vom von",
        and_="und|bis bis_zum",
        names="mai jan",
    ),
    "fr": Lexicon(
        months="janvier|février fevrier|mars|avril|mai|juin|juillet|août aout|septembre|octobre|novembre|décembre "
        "decembre",
        weekdays="lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
        seasons="printemps|été|automne|hiver",
        units="jour jours|semaine semaines|mois|an ans année années",
        numbers="un une|deux|trois quelques|quatre|cinq|six|sept|huit|neuf|dix|onze|douze",
        steps="dernier dernière derniere passé passée|ce cet cette|prochain prochaine",
        days="avant-hier|hier|aujourd'hui|demain|après-demain",
        weekend="week-end weekend",
        ago=r"il y a (?:environ )?{n} {u}",
        lately=r"(?:les |des |ces )?{n} (?:derniers|dernières) {u}",
        in_="en au de du pendant durant",
        bounds="depuis depuis_le|jusqu'à jusqu'au jusqu'en|avant avant_le|après après_le|vers autour_du "
        "aux_alentours_du",
        parts="début debut|mi|fin",
        between="entre de du",
        and_="et|au à jusqu'au",
        names="mars",
    ),
    "es": Lexicon(
        months="enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre setiembre|octubre|noviembre|diciembre",
        weekdays="lunes|martes|miércoles miercoles|jueves|viernes|sábado sabado|domingo",
        seasons="primavera|verano|otoño|invierno",
        units="día dia días dias|semana semanas|mes meses|año años",
        numbers="un una|dos par|tres unos unas|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce",
        steps="pasado pasada último última|este esta|próximo próxima proximo proxima que_viene",
        days="anteayer antier|ayer|hoy|mañana|pasado_mañana",
        weekend="fin_de_semana",
        ago=r"hace (?:unos |unas )?{n} {u}",
        lately=r"(?:los |las )?(?:últimos|últimas) {n} {u}",
        in_="en de del durante",
        bounds="desde desde_el|hasta hasta_el|antes_de antes_del|después_de después_del|alrededor_de alrededor_del "
        "hacia",
        parts="principios_de comienzos_de|mediados_de|finales_de fines_de",
        between="entre del de",
        and_="y|al a hasta",
    ),
    "it": Lexicon(
        months="gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre",
        weekdays="lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica",
        seasons="primavera|estate|autunno|inverno",
        units="giorno giorni|settimana settimane|mese mesi|anno anni",
        numbers="un una|due paio|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici",
        steps="scorso scorsa passato passata|questo questa quest'|prossimo prossima",
        days="l'altro_ieri|ieri|oggi|domani|dopodomani",
        weekend="fine_settimana weekend",
        ago=r"{n} {u} fa",
        lately=r"(?:gli |le )?(?:ultimi|ultime) {n} {u}",
        in_="in a di nel nella durante",
        bounds="da dal dalla|fino_a fino_al|prima_di prima_del|dopo|intorno_al verso_il",
        parts="inizio|metà|fine",
        between="tra fra dal da",
        and_="e|al a",
    ),
    "pt": Lexicon(
        months="janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
        weekdays="segunda segunda-feira|terça terça-feira|quarta quarta-feira|quinta quinta-feira|sexta "
        "sexta-feira|sábado|domingo",
        seasons="primavera|verão|outono|inverno",
        units="dia dias|semana semanas|mês meses|ano anos",
        numbers="um uma|dois duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze",
        steps="passado passada último última|este esta neste nesta|próximo próxima que_vem",
        days="anteontem|ontem|hoje|amanhã|depois_de_amanhã",
        weekend="fim_de_semana",
        ago=r"há (?:cerca de )?{n} {u}",
        lately=r"(?:nos |nas |os |as )?(?:últimos|últimas) {n} {u}",
        in_="em de no na do da durante",
        bounds="desde|até|antes_de|depois_de|por_volta_de cerca_de",
        parts="início_de começo_de|meados_de|fim_de final_de",
        between="entre de",
        and_="e|a até",
    ),
    "nl": Lexicon(
        months="januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|september sep|"
        "oktober okt|"
        "november nov|december dec",
        weekdays="maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
        seasons="lente voorjaar|zomer|herfst najaar|winter",
        units="dag dagen|week weken|maand maanden|jaar jaren",
        numbers="een één|twee|drie paar|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf",
        steps="vorige vorig afgelopen|deze dit|volgende volgend komende",
        days="eergisteren|gisteren|vandaag|morgen|overmorgen",
        weekend="weekend",
        ago=r"(?:ongeveer )?{n} {u} geleden",
        lately=r"(?:de )?(?:laatste|afgelopen) {n} {u}",
        in_="in van tijdens op",
        bounds="sinds vanaf|tot|voor|na|rond omstreeks",
        parts="begin|midden half|eind",
        between="tussen van",
        and_="en|tot tot_en_met",
        names="jan",
    ),
    "ru": Lexicon(
        months="январь января январе|февраль февраля феврале|март марта марте|апрель апреля апреле|май мая мае|"
        "июнь июня июне|июль июля июле|август августа августе|сентябрь сентября сентябре|октябрь октября октябре|"
        "ноябрь ноября ноябре|декабрь декабря декабре",
        weekdays="понедельник понедельника|вторник вторника|среду среда среды|четверг четверга|пятницу пятница "
        "пятницы|"
        "субботу суббота субботы|воскресенье воскресенья",
        seasons="весна весной весну|лето летом|осень осенью|зима зимой зиму",
        units="день дня дней|неделя неделю недели недель неделе|месяц месяца месяцев месяце|год года лет году",
        numbers="один одну одна|два две пару|три несколько|четыре|пять|шесть|семь|восемь|девять|десять|одиннадцать|"
        "двенадцать",
        steps="прошлый прошлая прошлой прошлую прошлом прошлого прошлое|этот эта этой эту этом этого это|"
        "следующий следующая следующей следующую следующем следующего",
        days="позавчера|вчера|сегодня|завтра|послезавтра",
        weekend="выходные выходных",
        ago=r"(?:около )?(?:{n} )?{u} назад",
        lately=r"(?:за )?(?:последние|последних) {n} {u}",
        in_="в во за на",
        bounds="с со начиная_с|до по|перед|после|около примерно",
        parts="начале|середине|конце",
        between="между с",
        and_="и|по до",
    ),
}
