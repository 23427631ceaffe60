"""German messages and what they do."""

from __future__ import annotations

import pytest

from memory.capture import Act, act_of
from tests.unit.memory.capture.sayings import each

NOTES = """
Meine Schwester heißt Charlotte und wohnt in Leipzig
der Ersatzschlüssel hängt hinter dem Boiler
Heute wurden mir die Weisheitszähne gezogen
Wir haben beschlossen, den Flur grün zu streichen
Jonas mag keinen Koriander
meine Blutgruppe ist A negativ
Die Autoversicherung läuft am 3. März aus
im Juni ziehe ich um
Hey! der Klempner kommt am Donnerstag zwischen 8 und 10
hallo du, hab heute den neuen Job angefangen
danke nochmal! das Paket ist übrigens da
ok, das Meeting ist jetzt um 15 Uhr
übrigens, Olga ist Linkshänderin
Merk dir, dass die Mülltonnen dienstags rausmüssen
merk dir bitte: meine Schuhgröße ist 43
Kannst du dir merken, dass ich gegen Penicillin allergisch bin?
Notier bitte, dass der Boiler im Mai gewartet wurde
Notiz an mich: nie wieder einen Frühflug buchen
Schreib auf: Spind 214, Kombination 7-22-9
Vergiss nicht, dass Oma Überraschungen hasst
zur Info: das Büro macht morgen früher zu
Die Schule von Max beginnt um 8:10, merk dir das bitte
Das WLAN in der Hütte heißt BärNetz, kannst du dir das merken?
Erinnere mich daran, den Gefrierschrank abzutauen
erinner mich morgen um 9 an die Bank
Kannst du mich morgen an den Zahnarzt erinnern?
nicht vergessen: Tomaten gießen
Muss noch die Steuererklärung machen
muss morgen unbedingt den Vermieter anrufen
Ich sollte mal wieder zum Friseur
Hafermilch und Bananen kaufen
Ich will dieses Jahr segeln lernen
mein Ziel ist es, zehn Kilometer ohne Pause zu laufen
Karin bis Freitag die Rechnung schicken
Antworte immer auf Spanisch
Bitte keine Termine vor zehn
benutz bitte keine Ausrufezeichen
nenn mich ab jetzt Käpt'n
Halt dich kurz
Sprich bitte Deutsch mit mir und duz mich
schreib mir nie nach Mitternacht
Kannst du ab jetzt bitte immer auf Französisch antworten?
Als Kind habe ich neben einem Steinbruch gewohnt
Wenn es regnet, läuft der Keller voll
Was ich an der Wohnung mag, ist das Licht
Wie man die Pumpe neu startet: roten Schalter zehn Sekunden halten
Wo der Sicherungskasten ist: unter der Treppe
was für ein Tag, mein Zug ist zweimal ausgefallen
Um den Wasserkocher zu entkalken, mit Essig aufkochen und eine Stunde warten
Ich habe meinen Schirm im Büro vergessen
Hab das Auto heute verkauft
War gestern mit Hannah im Kino
Bin ab Montag in Wien
mir gefällt das blaue besser
Zahnarzt morgen 9:30
Reisepassnummer: C01X00T47
Tierarzttermin auf Montag verschoben
Code für die Garage: 5519
sie hat mich gefragt, wann ich nach Hause komme
Ich finde die neuen Vorhänge zu dunkel
Wir essen zu Hause kein Schweinefleisch
Das Restaurant in der Mühlgasse war überteuert
Kein Zutritt zum Labor ohne Ausweis
Ich moechte naechstes Jahr nach Japan reisen
Hat super geklappt mit der neuen Pumpe, sie läuft seit heute früh
Freitag um acht Abendessen bei Tante Gerda
Ich glaube, Tobias ist sauer auf mich
Habe vergessen, die Blumen zu gießen
"""

QUESTIONS = """
wie hieß nochmal der Klempner
Wann läuft die Autoversicherung aus?
wo hab ich den Ersatzschlüssel hingelegt
wer wohnt in Leipzig
Ist Jonas Vegetarier?
ist das Paket schon da
hab ich die Stromrechnung bezahlt
Haben wir noch Farbe?
war ich schon mal in Norwegen
wie alt ist Charlotte
was hat das Sofa gekostet
welcher Spind ist meiner
Wie lautet meine Blutgruppe
wann hat Mama Geburtstag
und was ist mit dem Garagencode?
Sag mir, was du über Olga weißt
erzähl mir was über meine Versicherung
zeig mir alles zum Boiler
erinner mich, wie die Kombination war
Kannst du mir sagen, wann der Klempner kommt?
könntest du bitte nachschauen, welche Schuhgröße ich habe
schau mal nach, wie die Spindnummer war
such meine Notizen zum Urlaub
liste alle meine Termine auf
ich frage mich, wo meine Brille ist
ich hab vergessen, was der Vermieter gesagt hat
Ich weiß nicht mehr, welche Bank wir genommen haben
keine Ahnung, wann die Schule anfängt
weißt du noch, wie das Hotel hieß
weißt du, wer den Flur gestrichen hat
Hallo! Wann ist der Tierarzttermin?
Guten Morgen, was steht heute an?
Danke! Und wo ist der Sicherungskasten?
ok und wer hat angerufen
Heute habe ich den neuen Job angefangen. Was habe ich vorher verdient?
Mein Zug fährt um neun, oder?
Das Meeting ist am Mittwoch, richtig?
ich steh vor der Tür, wie ist der Code
in welchem Jahr haben wir das Auto gekauft
für wen war das blaue Geschenk
warum haben wir die Reise abgesagt
isst Hannah Fisch
war das Dienstag oder Mittwoch
was muss ich ins Labor mitbringen
soll ich die Tabletten zum Essen nehmen?
wer hat mir vom Steinbruch erzählt
alles über die Schule von Max
wann war nochmal der Termin beim Notar
um wie viel Uhr macht das Schwimmbad auf
wie starte ich die Pumpe neu
gibt es noch Notizen zum Vorhang
hast du dir die Nummer vom Vermieter notiert
Was habe ich mir zu Weihnachten gewünscht?
Wann war ich zuletzt beim Zahnarzt
wo koennen wir parken
mir fällt der Name nicht mehr ein, wie hieß der Wirt
Ich wüsste gern, wer das Fenster repariert hat
kommt Tobias morgen
hast du die Nummer von Gerda
die Adresse vom Notar nochmal bitte
kann man am Sonntag parken
woran sollte ich denken
ab wann gilt der neue Vertrag
Muss ich am Freitag arbeiten
weiß jemand wo der Akkuschrauber ist
"""

GREETINGS = """
hallo
Hallo zusammen!
moin
guten abend
Hallo, wie geht's?
servus
Grüß dich
"""

FAREWELLS = """
tschüss!
bis morgen
Gute Nacht 😴
"""

THANKED = """
danke
Vielen Dank!
danke dir, das hilft
Danke für die Erinnerung!
ok danke
super, vielen lieben Dank
Perfekt, danke schön 🙏
Dankeschön, sehr nett
Danke, du bist der Hammer!
herzlichen dank für deine hilfe
"""

SMALL_TALK = """
ok
haha gut
cool
klingt gut
wie geht es dir?
wie geht's
na, alles klar?
Was kannst du alles?
bist du ein Roboter?
magst du Musik?
wer bist du
schönes Wetter heute, oder?
was für ein schöner Tag!
du bist lustig
egal
gut gemacht!
ach so
👍
kein Problem
ja
war nur Spaß
mir ist langweilig
das freut mich
echt jetzt?
Gute Idee!
stimmt
"""

REQUESTS = """
schreib mir ein Gedicht über Pinguine
Kannst du einen Fuchs zeichnen?
übersetze das bitte ins Französische: das Haus brennt
erzähl mir einen Witz
Könntest du für heute Abend einen Tisch für vier reservieren?
sing mir was vor
spiel etwas Jazz
Mach das Licht in der Küche aus
bestell mir eine Pizza
erklär mir Quantencomputer
stell den Wecker auf sechs
hilf mir bei der Bewerbung
kannst du für mich im Restaurant anrufen?
Fass diesen Artikel zusammen
gib mir drei Ideen fürs Abendessen
such mir ein günstiges Hotel in Lissabon
Bitte schreib eine E-Mail an meinen Chef
empfiehl mir einen guten Film
lass uns Schach spielen
berechne 15 Prozent von 240
Würdest du bitte meinen Aufsatz korrigieren?
ich brauche ein Gedicht für meine Tante
erstelle ein Bild von einer Burg
bring mich zum Lachen
Schick Gerda eine Nachricht
"""


SAYINGS = {
    Act.NOTE: NOTES,
    Act.QUESTION: QUESTIONS,
    Act.GREETING: GREETINGS,
    Act.FAREWELL: FAREWELLS,
    Act.THANKS: THANKED,
    Act.SMALL_TALK: SMALL_TALK,
    Act.REQUEST: REQUESTS,
}


@pytest.mark.parametrize(("act", "text"), each(SAYINGS))
def test_what_is_said_is_taken_for_what_it_is(act: Act, text: str) -> None:
    assert act_of(text) is act
