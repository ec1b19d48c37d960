/**
 * Names of the same time zone, one zone per line: the links of the tz database (its file "backward") as CLDR interprets
 * them. CLDR keeps countries apart that merely share their clocks, such as Norway and Germany. Generated from the names
 * to which Intl of Node 24 (ICU 78, tz 2026c) resolves each name; newer versions of Intl return the name unchanged.
 * https://github.com/unicode-org/cldr/blob/main/common/bcp47/timezone.xml
 */
export const ZONE_LINKS = `
Africa/Asmara Africa/Asmera
Africa/Bamako Africa/Timbuktu
Africa/Cairo Egypt
Africa/Tripoli Libya
America/Adak America/Atka US/Aleutian
America/Anchorage US/Alaska
America/Argentina/Buenos_Aires America/Buenos_Aires
America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Catamarca
America/Argentina/Cordoba America/Cordoba America/Rosario
America/Argentina/Jujuy America/Jujuy
America/Argentina/Mendoza America/Mendoza
America/Atikokan America/Coral_Harbour
America/Chicago CST6CDT US/Central
America/Denver America/Shiprock MST7MDT Navajo US/Mountain
America/Detroit US/Michigan
America/Edmonton America/Yellowknife Canada/Mountain
America/Ensenada America/Santa_Isabel America/Tijuana Mexico/BajaNorte
America/Fort_Wayne America/Indiana/Indianapolis America/Indianapolis US/East-Indiana
America/Godthab America/Nuuk
America/Halifax Canada/Atlantic
America/Havana Cuba
America/Indiana/Knox America/Knox_IN US/Indiana-Starke
America/Iqaluit America/Pangnirtung
America/Jamaica Jamaica
America/Kentucky/Louisville America/Louisville
America/Los_Angeles PST8PDT US/Pacific
America/Manaus Brazil/West
America/Mazatlan Mexico/BajaSur
America/Mexico_City Mexico/General
America/Montreal America/Nipigon America/Thunder_Bay America/Toronto Canada/Eastern
America/New_York EST5EDT US/Eastern
America/Noronha Brazil/DeNoronha
America/Panama EST
America/Phoenix MST US/Arizona
America/Porto_Acre America/Rio_Branco Brazil/Acre
America/Rainy_River America/Winnipeg Canada/Central
America/Regina Canada/Saskatchewan
America/Santiago Chile/Continental
America/Sao_Paulo Brazil/East
America/St_Johns Canada/Newfoundland
America/St_Thomas America/Virgin
America/Vancouver Canada/Pacific
America/Whitehorse Canada/Yukon
Antarctica/McMurdo Antarctica/South_Pole
Arctic/Longyearbyen Atlantic/Jan_Mayen
Asia/Ashgabat Asia/Ashkhabad
Asia/Calcutta Asia/Kolkata
Asia/Choibalsan Asia/Ulaanbaatar Asia/Ulan_Bator
Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Shanghai PRC
Asia/Dacca Asia/Dhaka
Asia/Ho_Chi_Minh Asia/Saigon
Asia/Hong_Kong Hongkong
Asia/Istanbul Europe/Istanbul Turkey
Asia/Jerusalem Asia/Tel_Aviv Israel
Asia/Kashgar Asia/Urumqi
Asia/Kathmandu Asia/Katmandu
Asia/Macao Asia/Macau
Asia/Makassar Asia/Ujung_Pandang
Asia/Nicosia Europe/Nicosia
Asia/Rangoon Asia/Yangon
Asia/Seoul ROK
Asia/Singapore Singapore
Asia/Taipei ROC
Asia/Tehran Iran
Asia/Thimbu Asia/Thimphu
Asia/Tokyo Japan
Atlantic/Faeroe Atlantic/Faroe
Atlantic/Reykjavik Iceland
Australia/ACT Australia/Canberra Australia/NSW Australia/Sydney
Australia/Adelaide Australia/South
Australia/Brisbane Australia/Queensland
Australia/Broken_Hill Australia/Yancowinna
Australia/Currie Australia/Hobart Australia/Tasmania
Australia/Darwin Australia/North
Australia/LHI Australia/Lord_Howe
Australia/Melbourne Australia/Victoria
Australia/Perth Australia/West
CET Europe/Brussels MET
Chile/EasterIsland Pacific/Easter
EET Europe/Athens
Eire Europe/Dublin
Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu GMT GMT+0 GMT-0 GMT0 Greenwich UCT UTC Universal Zulu
Europe/Belfast Europe/London GB GB-Eire
Europe/Chisinau Europe/Tiraspol
Europe/Kiev Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye
Europe/Lisbon Portugal WET
Europe/Moscow W-SU
Europe/Warsaw Poland
HST Pacific/Honolulu Pacific/Johnston US/Hawaii
Kwajalein Pacific/Kwajalein
NZ Pacific/Auckland
NZ-CHAT Pacific/Chatham
Pacific/Chuuk Pacific/Truk Pacific/Yap
Pacific/Enderbury Pacific/Kanton
Pacific/Pago_Pago Pacific/Samoa US/Samoa
Pacific/Pohnpei Pacific/Ponape
`
