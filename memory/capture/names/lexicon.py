"""Names that are known without context, in Latin letters; and capitalised words that are none."""

from __future__ import annotations

from memory.capture.phrases import vocabulary

GIVEN_NAMES = vocabulary(
    """
    Aaron, Adam, Adrian, Agnes, Ahmed, Aisha, Alan, Albert, Alex, Alexander, Alexandra, Alfred, Ali, Alice, Alicia
    Alina, Alison, Amanda, Amelie, Amir, Amy, Ana, Anastasia, Andrea, Andreas, Andrew, Andy, Angela, Anita, Anja, Anke
    Ann, Anna, Anne, Anneliese, Annette, Annika, Anthony, Antje, Anton, Antonia, Antonio, Arne, Arthur, Astrid, Axel
    Barbara, Bastian, Beate, Ben, Benedikt, Benjamin, Bernd, Bernhard, Bettina, Bianca, Birgit, Björn, Bob, Boris
    Brian, Brigitte, Britta, Bruno, Carina, Carl, Carla, Carlos, Carmen, Carolin, Caroline, Catherine, Cem, Charles
    Charlie, Charlotte, Chen, Chloe, Chris, Christa, Christian, Christiane, Christina, Christine, Christoph
    Christopher, Clara, Claudia, Clemens, Connor, Cornelia, Dan, Daniel, Daniela, Dave, David, Deborah, Denise, Dennis
    Diana, Diego, Dieter, Dietmar, Dirk, Dominik, Donald, Doris, Dorothea, Edgar, Eduardo, Elena, Eleanor, Eli, Elias
    Elisa, Elisabeth, Elizabeth, Ella, Ellen, Elke, Emil, Emilia, Emily, Emma, Emre, Eric, Erica, Erik, Erika, Erwin
    Esther, Ethan, Eva, Evelyn, Fabian, Fatima, Felix, Ferdinand, Finn, Fiona, Florian, Francesca, Francis, Franz
    Franziska, Fred, Frederik, Friedrich, Fritz, Gabi, Gabriel, Gabriele, Georg, George, Gerald, Gerd, Gerda, Gerhard
    Gisela, Giulia, Greg, Greta, Gudrun, Gustav, Hanna, Hannah, Hannes, Hans, Harald, Harry, Hasan, Heike, Heiko, Heinz
    Helen, Helena, Helga, Helmut, Hendrik, Henrik, Henry, Herbert, Hermann, Holger, Horst, Hugo, Ian, Ibrahim, Ida
    Igor, Ina, Ines, Inga, Inge, Ingrid, Irene, Iris, Irina, Isabel, Isabella, Ivan, Jacob, Jakob, James, Jamie, Jan
    Jana, Jane, Janet, Janina, Jasmin, Jason, Javier, Jean, Jeff, Jennifer, Jens, Jenny, Jeremy, Jessica, Jim, Joachim
    Jochen, Joe, Joel, Johanna, Johannes, John, Jonas, Jonathan, Jordan, Jorge, Jörg, Josef, Joseph, Joshua, Juan
    Judith, Julia, Julian, Juliane, Julie, Jürgen, Jutta, Kai, Karen, Karin, Karl, Karla, Karolina, Karsten, Katharina
    Katherine, Kathrin, Katie, Katja, Katrin, Keith, Kelly, Kenji, Kevin, Kim, Kirsten, Klara, Klaus, Konrad, Kristin
    Kurt, Lara, Larissa, Lars, Laura, Lauren, Lea, Lena, Leo, Leon, Leonie, Liam, Lilly, Lina, Linda, Linus, Lisa, Liz
    Lotte, Louis, Louisa, Luca, Lucas, Lucia, Lucy, Ludwig, Luis, Luisa, Lukas, Lydia, Maggie, Magdalena, Maja, Malte
    Manfred, Manuel, Manuela, Marc, Marcel, Marco, Marcus, Margaret, Margarete, Maria, Marie, Marina, Mario, Marion
    Markus, Marlene, Marta, Martha, Martin, Martina, Mary, Mateo, Mathilda, Matt, Matteo, Matthew, Matthias, Maurice
    Max, Maximilian, Maya, Mehmet, Melanie, Mia, Michael, Michaela, Michelle, Miguel, Mike, Mila, Mira, Miriam
    Mohammed, Mona, Monica, Monika, Moritz, Murat, Nadine, Nadja, Nancy, Natalie, Natasha, Nick, Nicholas, Nico, Nicole
    Niklas, Nils, Nina, Noah, Nora, Norbert, Olaf, Ole, Oleg, Olga, Oliver, Olivia, Oscar, Oskar, Otto, Pablo, Pamela
    Patricia, Patrick, Paul, Paula, Pauline, Pedro, Peter, Petra, Phil, Philip, Philipp, Pia, Priya, Quentin, Rachel
    Rafael, Raj, Ralf, Ralph, Ramona, Raphael, Rebecca, Regina, Reinhard, Renate, Ricardo, Richard, Rita, Rob, Robert
    Roberto, Robin, Roger, Roland, Rolf, Roman, Ron, Ronald, Ruben, Rudi, Rudolf, Ruth, Ryan, Sabine, Sabrina, Sam
    Samantha, Samuel, Sandra, Sara, Sarah, Sascha, Scott, Sean, Sebastian, Selin, Sergio, Sharon, Sibylle, Siegfried
    Sigrid, Silke, Silvia, Simon, Simone, Sofia, Sonja, Sophia, Sophie, Stefan, Stefanie, Steffen, Stella, Stephanie
    Stephen, Steve, Steven, Stuart, Susan, Susanne, Sven, Svenja, Sylvia, Tamara, Tanja, Tanya, Tatjana, Ted, Teresa
    Theo, Theodor, Theresa, Thomas, Thorsten, Tim, Timo, Tina, Tobias, Tom, Tony, Torben, Torsten, Tristan, Udo, Ulrich
    Ulrike, Ursula, Ute, Uwe, Valentina, Vanessa, Vera, Verena, Veronika, Victor, Victoria, Viktor, Viktoria, Vincent
    Volker, Walter, Waltraud, Wanda, Werner, Wiebke, Wilhelm, William, Willi, Wolfgang, Xaver, Yannick, Yasmin, Yuki
    Yusuf, Yvonne, Zoe
    """
)

PLACES = vocabulary(
    """
    Aachen, Africa, Afrika, Alps, Alpen, America, Amerika, Amsterdam, Antwerp, Asia, Asien, Athens, Athen, Augsburg
    Australia, Australien, Austria, Bali, Bangkok, Barcelona, Basel, Bavaria, Bayern, Belgien, Belgium, Berlin, Bern
    Bielefeld, Bochum, Bologna, Bonn, Bordeaux, Boston, Brandenburg, Brasilien, Brazil, Bremen, Brighton, Bristol
    Brooklyn, Brussels, Brüssel, Budapest, Bulgaria, Bulgarien, California, Cambridge, Canada, Chicago, China, Cologne
    Copenhagen, Croatia, Dänemark, Denmark, Deutschland, Dortmund, Dresden, Dubai, Dublin, Düsseldorf, Duisburg
    Edinburgh, England, Erfurt, Europa, Europe, Finland, Finnland, Florence, Florenz, Florida, France, Frankfurt
    Frankreich, Freiburg, Geneva, Genf, Germany, Glasgow, Graz, Greece, Griechenland, Hamburg, Hannover, Hawaii
    Heidelberg, Helsinki, Hong Kong, Hungary, Iceland, India, Indien, Innsbruck, Ireland, Irland, Island, Istanbul
    Italien, Italy, Japan, Kanada, Karlsruhe, Kassel, Kiel, Köln, Kopenhagen, Korea, Krakow, Kroatien, Leeds, Leipzig
    Lisbon, Lissabon, Liverpool, London, Los Angeles, Lübeck, Luxembourg, Luxemburg, Lyon, Madrid, Mailand, Mainz
    Mallorca, Manchester, Mannheim, Marrakesch, Marseille, Melbourne, Mexico, Mexiko, Milan, Montreal, Morocco, Moscow
    München, Munich, Münster, Naples, Neapel, Netherlands, New York, New York City, New Zealand, Neuseeland
    Niederlande, Norway, Norwegen, Nürnberg, Nuremberg, Österreich, Oslo, Oxford, Paris, Poland, Polen, Porto, Portugal
    Potsdam, Prag, Prague, Regensburg, Rom, Rome, Rostock, Rotterdam, Russia, Russland, Saarbrücken, Salzburg
    San Francisco, Schottland, Schweden, Schweiz, Scotland, Seattle, Seoul, Sevilla, Shanghai, Sicily, Singapore
    Singapur, Sizilien, Slovenia, Slowenien, Spain, Spanien, Stockholm, Straßburg, Stuttgart, Sweden, Switzerland
    Sydney, Taiwan, Tallinn, Thailand, Tokio, Tokyo, Toronto, Trier, Tübingen, Türkei, Turkey, Tuscany, Toskana
    Ukraine, Ulm, Ungarn, Valencia, Vancouver, Venedig, Venice, Vienna, Vietnam, Wales, Warsaw, Warschau, Wien
    Wiesbaden, Würzburg, York, Zagreb, Zurich, Zürich
    """
)

BRANDS = vocabulary(
    """
    Adidas, Adobe, Airbnb, Aldi, Allianz, Amazon, Android, Apple, Audi, AWS, BMW, Bosch, ChatGPT, Claude, Commerzbank
    Deutsche Bahn, Deutsche Bank, Discord, DHL, DKB, Docker, Dropbox, Edeka, Excel, Facebook, FedEx, Figma, Firefox
    GitHub, GitLab, Gmail, Google, IBM, IKEA, Instagram, Intel, Jira, Kaufland, Kindle, Lego, Lidl, LinkedIn, Linux
    Lufthansa, Mercedes, Microsoft, Netflix, Nikon, Nintendo, Nokia, Notion, Nvidia, Obsidian, OpenAI, Outlook, PayPal
    Philips, Photoshop, PlayStation, Porsche, PostgreSQL, Python, Reddit, REWE, Ryanair, Samsung, SAP, Siemens, Skype
    Slack, Sparkasse, Spotify, Tchibo, Telegram, Tesla, TikTok, Trello, Twitter, Uber, Ubuntu, Vodafone, Volkswagen, VW
    Walmart, WhatsApp, Wikipedia, Windows, YouTube, Zalando, Zoom
    """
)

NOT_NAMES = vocabulary(
    """
    Today, Tomorrow, Yesterday, Tonight, Heute, Morgen, Gestern, Frau, Herr, Herrn, Familie, Tante, Onkel, Aunt, Uncle
    TIL, University, Universität
    I, I'm, I'll, I've, I'd, Mr, Mrs, Ms, Dr, Prof, Sir, Mom, Mum, Dad, Mama, Papa, Mutti, Vati, Oma, Opa, Grandma
    Grandpa, Granny, God, Gott, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, Mondays, Tuesdays
    Wednesdays, Thursdays, Fridays, Saturdays, Sundays, Mon, Tue, Tues, Wed, Thu, Thurs, Fri, Sat, Sun, January
    February, March, April, May, June, July, August, September, October, November, December, Jan, Feb, Mar, Apr, Jun
    Jul, Aug, Sep, Sept, Oct, Nov, Dec, Christmas, Easter, Xmas, New Year, Halloween, Thanksgiving, English, German
    French, Spanish, Italian, Chinese, Mandarin, Japanese, Russian, Dutch, Turkish, Portuguese, American, British
    European, Deutsch, Englisch, Französisch, Spanisch, Italienisch, Chinesisch, Internet, Celsius, Fahrenheit, Montag
    Dienstag, Mittwoch, Donnerstag, Freitag, Samstag, Sonntag, Sonnabend, Januar, Februar, März, Mai, Juni, Juli
    Oktober, Dezember, Weihnachten, Ostern, Silvester, Uhr, Geburtstag, Termin, Adresse, Nummer, Handynummer, AC, AI
    AM, API, ASAP, ATM, BTW, CD, CEO, CET, CPU, CSV, CTO, CV, DIY, DNA, DVD, EC, EK, ETA, EUR, EV, FAQ, FYI, GB, GMT
    GP, GPS, HDMI, HR, HTML, IBAN, BIC, ID, IMO, IT, JSON, KB, KI, KITA, KFZ, LAN, LCD, LED, LKW, MB, MRI, MRT, NB, OK
    OP, PC, PDF, PIN, PIN-Code, PKW, PLZ, PM, PR, PS, PUK, QR, RAM, RIP, RSVP, SIM, SMS, SOS, SQL, SSD, SSID, SUV, TAN
    TB, TBD, TODO, TO-DO, TV, TÜV, UK, UNO, URL, US, USA, USB, USD, UTC, UV, VIP, VPN, WC, WG, WIFI, WLAN, XL, XXL, XML
    ZIP, ADHD, DSL, NFC, PDFs, CDs, DVDs, IDs, TVs, PCs, WiFi, Wifi, Wi-Fi, Bluetooth, Ethernet
    """
)
"""Written with capitals, but names of no person, place, organisation or product worth a page."""
