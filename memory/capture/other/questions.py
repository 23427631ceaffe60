"""Other languages: questions, with and without a question mark."""

from __future__ import annotations

from memory.capture.cues import Questions
from memory.capture.phrases import phrases, signs

QUESTIONS = Questions(
    look_up=phrases(
        """
        dis-moi | rappelle-moi (quand|où|qui|quel|quelle|comment|ce que)
        j'ai oublié (où|quand|qui|quel|quelle|comment|si) | je me demande | dime
        me olvidé (dónde|cuándo|cómo|de quién) | no recuerdo | olvidé | me pregunto | dimmi | non ricordo | mi chiedo
        não (me )?lembro | me diga | vertel me | ik (ben vergeten|vraag me af|weet niet meer) | скажи(,? мне)?
        я (забыл|забыла|не помню|не знаю),? (где|когда|кто|что|как|какой|какая|сколько) | powiedz mi
        """
    ),
    no_question=phrases(
        """
        quand [^,]{1,60}, | cuando [^,]{1,60}, | quando [^,]{1,60}, | когда [^,]{1,60}, | comme | que bonito
        """
    ),
    question=phrases(
        """
        où | quand | qui(?! plus) | quel(le)?s? | comment | pourquoi | combien | qu'est-ce | est-ce | à quelle heure
        c'est (quoi|quand|où|qui) | dónde | cuándo | quién | qué | cuál(es)? | cómo | por qué | cuánt[oa]s?
        a qué hora | dove | dov'è | chi | che (cosa|ora) | cosa | quale | qual è | perché | quant[oaie] | a che ora
        onde | quem | qual | quais | por que | quant[oa]s? | o que | waar | wanneer | wat | waarom | hoe(veel)?
        hoe laat | gdzie | kiedy | kto | dlaczego | ile | jaki[e]? | jaka | nerede | ne zaman | kim | neden | kaç
        nasıl | где | когда | кто | кому | кого | почему | зачем | сколько | какой | какая | какое | какие | куда
        откуда | во сколько | что (такое|я|мы) | чей | де | коли | хто
        """
    ),
    asks=signs(
        """
        (ですか|ますか|ましたか|でしたか|だっけ|かな|ですかね)[。.]?$ | (까요|나요|니까|습니까|인가요)[.]?$
        ^(누구|언제|어디|무엇|뭐|왜|어떻게|몇) | [어디언제누구뭐]{2}(야|지|였지)[.]?$
        (どこ|いつ|だれ|誰|何時|何|なぜ|どう)[^。]{0,20}(だった|っけ|か)$
        """
    ),
)
