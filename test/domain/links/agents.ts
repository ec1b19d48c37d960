/** User agents as they are sent, by what they are. */

const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'

export const IPHONES = {
  Safari: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${APPLE} Version/17.4 Mobile/15E148 Safari/604.1`,
  'Safari of iOS 26': `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${APPLE} Version/26.0 Mobile/15E148 Safari/604.1`,
  Chrome: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${APPLE} CriOS/123.0.6312.52 Mobile/15E148 Safari/604.1`,
  Firefox: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${APPLE} FxiOS/124.0 Mobile/15E148 Safari/605.1.15`,
  Facebook: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${APPLE} Mobile/21E219 [FBAN/FBIOS;FBAV/450.0.0.38.108;FBDV/iPhone14,5]`,
  Instagram: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${APPLE} Mobile/21E219 Instagram 325.0.3.34.90 (iPhone14,5; iOS 17_4; en_US)`,
  Pinterest: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) ${APPLE} Mobile/15E148 [Pinterest/iOS]`,
  'a web view': `Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) ${APPLE} Mobile/15E148`,
  'an old iPad': `Mozilla/5.0 (iPad; CPU OS 12_5_5 like Mac OS X) ${APPLE} Version/12.1.2 Mobile/15E148 Safari/604.1`,
  'Facebook that sends its list alone':
    '[FBAN/FBIOS;FBAV/370.0.0.21.116;FBBV/377116331;FBDV/iPhone13,2;FBMD/iPhone;FBSN/iOS;FBSV/15.4.1;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]',
  'Messenger on an iPad': '[FBAN/MessengerForiOS;FBAV/360.0;FBDV/iPad8,1;FBMD/iPad;FBSN/iPadOS;FBSV/15.5]',
  'Instagram that sends its list alone':
    'Instagram 219.0 (iPhone13,2; iOS 15_4; en_US; en-US; scale=3.00; 1170x2532; 1)',
  'an iPod': `Mozilla/5.0 (iPod touch; CPU iPhone OS 12_5_7 like Mac OS X) ${APPLE} Version/12.1.2 Mobile/15E148 Safari/604.1`,
  'Chrome on an iPad that asks for the desktop site': `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} CriOS/123 Version/11.1.1 Safari/605.1.15`,
} as const

export const ANDROIDS = {
  Chrome:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile Safari/537.36',
  Samsung:
    'Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/24.0 Chrome/117.0.0.0 Mobile Safari/537.36',
  Firefox: 'Mozilla/5.0 (Android 14; Mobile; rv:125.0) Gecko/125.0 Firefox/125.0',
  'a tablet':
    'Mozilla/5.0 (Linux; Android 13; SM-X700) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
  Facebook:
    'Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/459.0]',
  Line: 'Mozilla/5.0 (Linux; Android 14; SM-S911B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120 Mobile Safari/537.36 Line/13.0',
  'Facebook that sends its list alone':
    '[FBAN/FB4A;FBAV/375.1.0.28.111;FBDM/{density=2.625,width=1080,height=2209};FBLC/en_US;FBMF/samsung;FBPN/com.facebook.katana;FBDV/SM-G973F;FBSV/12;FBCA/arm64-v8a:;]',
  'Facebook on a phone that is called CUBOT': '[FBAN/FB4A;FBAV/375.1;FBPN/com.facebook.katana;FBDV/CUBOT X70;FBSV/12;]',
  'Facebook Lite': '[FBAN/EMA;FBLC/en_US;FBAV/290.0]',
  Messenger: '[FBAN/Orca-Android;FBAV/361.0;FBPN/com.facebook.orca;FBLC/de_DE;FBDV/Pixel 6]',
  'a phone that is called CUBOT':
    'Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
} as const

export const DESKTOPS = {
  'Chrome on Windows':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36',
  'Edge on Windows':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36 Edg/125.0.0.0',
  'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0',
  'Firefox on a Mac': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:125.0) Gecko/20100101 Firefox/125.0',
  'Chrome on a Mac':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36',
  'a Chromebook':
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36',
} as const

/** The user agent of Safari on a Mac and on an iPad alike. */
export const MAC_SAFARI = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/17.4 Safari/605.1.15`

export const OTHER_PHONES = {
  'a Windows phone':
    'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0 Mobile Safari/537.36 Edge/15.15254',
  HarmonyOS:
    'Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile',
  KaiOS: 'Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
  Tizen:
    'Mozilla/5.0 (Linux; Tizen 2.4; SAMSUNG SM-Z300H) AppleWebKit/537.3 (KHTML, like Gecko) Version/2.4 Mobile Safari/537.3',
} as const

export const PREVIEWERS = {
  WhatsApp: 'WhatsApp/2.23.20.0 A',
  Signal: 'WhatsApp/2',
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  Telegram: 'TelegramBot (like TwitterBot)',
  Facebook: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  Twitter: 'Twitterbot/1.0',
  iMessage: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0`,
  Applebot: `${MAC_SAFARI} (Applebot/0.1; +http://www.apple.com/go/applebot)`,
  Discord: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  LinkedIn: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  Skype: 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  Google: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Google as a phone': `${ANDROIDS.Chrome} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  Bing: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  Viber: 'Viber/13.3.0',
  Snapchat: 'Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots',
} as const

/** Programs: they follow a link and nobody sits in front of them. */
export const PROGRAMS = {
  curl: 'curl/8.5.0',
  node: 'node',
  python: 'python-requests/2.31.0',
  okhttp: 'okhttp/4.12.0',
  Go: 'Go-http-client/1.1',
  fetch: 'node-fetch/1.0',
  'something unknown': 'SomethingUnknown/1.0',
  'a headless browser':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/125.0.0.0 Safari/537.36',
} as const
