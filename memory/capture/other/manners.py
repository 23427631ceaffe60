"""Other languages: hello, thanks, small talk."""

from __future__ import annotations

from memory.capture.cues import Manners
from memory.capture.phrases import phrases

MANNERS = Manners(
    greeting=phrases(
        """
        bonjour | bonsoir | salut | coucou | au revoir | à (bientôt|demain|plus)<stop>
        bonne (nuit|journée|soirée)<stop> | hola | buenos días | buenas (tardes|noches) | adiós
        hasta (luego|mañana|pronto)<stop> | buenas<stop> | ciao | buongiorno | buonasera | buona notte | buonanotte
        arrivederci | salve<stop> | olá | oi<stop> | bom dia | boa (tarde|noite) | tchau | até (logo|amanhã)<stop>
        hoi | goedemorgen | goedemiddag | goedenavond | dag<stop> | doei | tot (ziens|morgen|straks)<stop>
        welterusten | cześć | dzień dobry | dobry wieczór | dobranoc | do widzenia | ahoj | dobrý den | merhaba | selam
        günaydın | iyi (günler|akşamlar|geceler) | hej( hej)? | god (morgon|kväll|morgen|dag) | hei<stop> | привет
        здравствуй(те)? | доброе утро | добрый (день|вечер) | спокойной ночи | пока<stop> | до (свидания|завтра)
        привіт | добрий день | добрий ранок | на добраніч | مرحبا | السلام عليكم | שלום | नमस्ते | สวัสดี(ครับ|ค่ะ)?
        xin chào | こんにちは | おはよう(ございます)? | こんばんは | おやすみ(なさい)? | さようなら | またね | ただいま
        안녕(하세요|히 (가세요|계세요))?[~!]* | 잘 ?자(요)?<stop>
        """
    ),
    thanks=phrases(
        """
        merci( (beaucoup|bien|à toi|infiniment))* | (muchas |mil )?gracias( (por [^,.!?]{1,40}<stop>|a ti))*
        (tante |mille )?grazie( (mille|tante))* | (muito )?obrigad[oa] | valeu<stop> | dank (je|u)( wel)? | bedankt
        dziękuję( bardzo)? | dzięki | děkuji | díky | teşekkür(ler| ederim) | tack( så mycket)? | takk | kiitos
        (большое )?спасибо( большое)? | благодарю | дякую | شكرا | תודה | धन्यवाद | ขอบคุณ(ครับ|ค่ะ|มาก)* | cảm ơn
        (どうも)?ありがとう(ございます|ございました)? | 감사합니다 | 고마워(요)? | 고맙습니다
        """
    ),
    filler=phrases(
        """
        et | mais | alors | y | pero | e | ma | allora | mas | en | maar | и | а | но | ну | oui | sí | si(?=,)
        da(?=,) | ja | да(?=,) | ok
        """
    ),
    please=phrases("s'il (te|vous) plaît | por favor | per favore | alsjeblieft | пожалуйста | proszę"),
    chatter=phrases(
        """
        d'accord | oui | non | super | génial | parfait | bien | très | ça va | de rien | c'est | sí | claro | vale
        perfecto | genial | de nada | muy | bueno | bien | certo | perfetto | va bene | prego | bravo | bravissimo
        sim | não | legal | ótimo | tudo bem | de nada | tak | nie | dobrze | super | да | нет | ладно | хорошо
        отлично | понятно | ясно | круто | супер | ага | はい | いいえ | うん | そうですね | すごい | なるほど | 了解
        네 | 아니요 | 응 | 좋아(요)? | 알겠습니다 | ㅋ+ | ㅎ+ | 笑+ | w{2,} | (ja){2,} | (ха){2,} | k{3,} | ok(ay)?
        """
    ),
    about_agent=phrases(
        """
        comment (ça va|vas-tu|allez-vous|tu t'appelles) | ça va( bien)? | qui es-tu | quoi de neuf
        cómo (estás|te llamas) | qué tal | quién eres | come (stai|va|ti chiami) | chi sei | tutto bene
        como (vai|está|você está) | tudo bem | quem é você | hoe gaat het( met je)? | wie ben (je|jij)
        как (дела|ты|тебя зовут|поживаешь) | кто ты | что (нового|делаешь) | 元気(ですか)? | お元気ですか
        あなたは誰(ですか)? | 잘 지내(요|세요)? | 누구세요 | jak się masz | nasılsın
        """
    ),
)
