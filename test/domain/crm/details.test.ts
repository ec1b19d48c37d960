import { expect } from 'chai'
import { countryOf, readDetails, readUserAgent, zoneOf } from '../../../src/domain/crm/details.ts'

const CHROME_ON_MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const FIREFOX_ON_WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0'
const ON_WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
const CHROME_ON_ANDROID =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'

const NOTHING = {
  os: null,
  osVersion: null,
  sdkType: null,
  sdkVersion: null,
  appVersion: null,
  countryIsoCode: null,
  timezone: null,
  locale: null,
  deviceModel: null,
  deviceName: null,
  buildKind: null,
  simulator: null,
  timeSensitive: null,
  runsIn: null,
}

const IPHONE = {
  app: { bundle: 'com.example.app', version: '3.1', target: 2 },
  sdk: { id: 4, version: '10.0.0' },
  runtime: { id: 1, version: '15.4' },
  os: { id: 1, version: '15.4' },
  device: { name: 'iPhone13,2', tz: 'Europe/London', isSimulator: false, locale: 'en-GB' },
  ios: { hasGroup: true, push: { scheduled: false, timeSensitive: true } },
}

const BROWSER = {
  app: { bundle: 'example.com', version: '0.0.0', target: 2 },
  sdk: { id: 10, version: '1.12.0' },
  runtime: { id: 8, version: CHROME_ON_MAC },
  os: { id: 0, version: '0.0.0' },
  device: { name: CHROME_ON_MAC, tz: 'Europe/Berlin', isSimulator: false, locale: 'de' },
}

describe('install details', () => {
  it('of an iPhone are told in words, with the name people know', () => {
    expect(readDetails(IPHONE)).to.deep.equal({
      os: 'iOS',
      osVersion: '15.4',
      sdkType: 'swift',
      sdkVersion: '10.0.0',
      appVersion: '3.1',
      countryIsoCode: 'GB',
      timezone: 'Europe/London',
      locale: 'en-GB',
      deviceModel: 'iPhone13,2',
      deviceName: 'iPhone 12',
      buildKind: 'release',
      simulator: false,
      timeSensitive: true,
      runsIn: 'app',
    })
  })

  it('of a browser are read out of its user agent', () => {
    expect(readDetails(BROWSER)).to.deep.equal({
      os: 'macOS',
      osVersion: '10.15.7',
      sdkType: 'web',
      sdkVersion: '1.12.0',
      appVersion: '0.0.0',
      countryIsoCode: null,
      timezone: 'Europe/Berlin',
      locale: 'de',
      deviceModel: CHROME_ON_MAC,
      deviceName: 'Chrome on macOS',
      buildKind: 'release',
      simulator: false,
      timeSensitive: null,
      runsIn: 'browser',
    })
  })

  it('of a browser that hides itself say web and nothing else about the system', () => {
    const details = readDetails({ sdk: { id: 104 }, os: { id: 0, version: '0.0.0' }, device: { name: 'me' } })
    expect(details).to.include({ os: 'web', osVersion: null, sdkType: 'web', deviceModel: 'me', deviceName: 'me' })
  })

  it('of an unknown device keep its own name', () => {
    const details = readDetails({ ...IPHONE, os: { id: 3, version: 13 }, sdk: { id: 2 }, device: { name: 'Pixel 5' } })
    expect(details).to.include({ os: 'Android', osVersion: '13', sdkType: 'android', sdkVersion: null })
    expect(details).to.include({ deviceModel: 'Pixel 5', deviceName: 'Pixel 5', timezone: null, locale: null })
  })

  for (const [id, name] of Object.entries({
    1: 'iOS',
    2: 'macOS',
    3: 'Android',
    4: 'Windows Phone',
    5: 'Windows',
    0: null,
    6: null,
    [-1]: null,
    [2 ** 53]: null,
  })) {
    it(`with os.id ${id} have the os ${name}, also when the number is text`, () => {
      expect(readDetails({ os: { id: Number(id) } }).os).to.equal(name)
      expect(readDetails({ os: { id } }).os).to.equal(name)
    })
  }

  const sdks = {
    1: 'objective-c',
    2: 'android',
    3: 'csharp',
    4: 'swift',
    5: null,
    6: 'cordova',
    7: 'xamarin',
    8: null,
    9: 'react-native',
    10: 'web',
    11: 'flutter',
    104: 'web',
    105: null,
    0: null,
    [-1]: null,
  }
  for (const [id, name] of Object.entries(sdks)) {
    it(`with sdk.id ${id} have the sdk type ${name}, also when the number is text`, () => {
      expect(readDetails({ sdk: { id: Number(id) } }).sdkType).to.equal(name)
      expect(readDetails({ sdk: { id } }).sdkType).to.equal(name)
    })
  }

  it('say the same whatever the runtime is', () => {
    for (const id of [0, 1, 2, 3, 4, 7, 8, 9, -1, 99, '8', null]) {
      const changed = { ...IPHONE, runtime: { ...IPHONE.runtime, id } }
      expect(readDetails(changed)).to.deep.equal(readDetails(IPHONE))
    }
  })

  const builds: [unknown, string | null][] = [
    [1, 'debug'],
    ['1', 'debug'],
    [2, 'release'],
    [0, null],
    [3, null],
    [-1, null],
    ['debug', null],
    [null, null],
    [{}, null],
  ]
  for (const [target, buildKind] of builds) {
    it(`with app.target ${JSON.stringify(target)} have the build kind ${buildKind}, and nothing else changes`, () => {
      const changed = { ...IPHONE, app: { ...IPHONE.app, target } }
      expect(readDetails(changed)).to.deep.equal({ ...readDetails(IPHONE), buildKind })
    })
  }

  const said: [unknown, boolean | null][] = [
    [true, true],
    [1, true],
    ['true', true],
    [false, false],
    [0, false],
    ['maybe', null],
    [2, null],
    [undefined, null],
  ]
  for (const [value, expected] of said) {
    it(`with ${JSON.stringify(value)} for a simulator and for time-sensitive pushes mean ${expected}`, () => {
      const details = readDetails({ device: { isSimulator: value }, ios: { push: { timeSensitive: value } } })
      expect(details).to.deep.equal({ ...NOTHING, simulator: expected, timeSensitive: expected })
    })
  }

  const kinds: [string, object, string | null][] = [
    ['of an SDK for apps', { sdk: { id: 2 } }, 'app'],
    ['of an SDK for apps inside of a browser', { sdk: { id: 6 }, runtime: { id: 8 } }, 'app'],
    ['of an SDK for pages', { sdk: { id: 10 }, os: { id: 3 } }, 'browser'],
    ['without an SDK, on a system', { os: { id: '3', version: '15' } }, 'app'],
    ['without an SDK, in a browser', { os: { id: 3 }, runtime: { id: 8 } }, 'browser'],
    ['with a user agent only', { os: { id: 0 }, runtime: { version: CHROME_ON_MAC } }, null],
    ['with what nobody knows', { sdk: { id: 99 }, os: { id: 42 }, runtime: { id: {} } }, null],
  ]
  for (const [name, data, expected] of kinds) {
    it(`${name} mean that it runs in ${expected}`, () => expect(readDetails(data).runsIn).to.equal(expected))
  }

  it('of a wrapper keep its SDK and the system below it', () => {
    const flutter = { ...IPHONE, sdk: { id: 11, version: '3.0.0' }, runtime: { id: 9, version: '3.7' } }
    expect(readDetails(flutter)).to.include({ os: 'iOS', osVersion: '15.4', sdkType: 'flutter', sdkVersion: '3.0.0' })
  })

  const nonsense: [string, unknown][] = [
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['text', 'details'],
    ['an array', [IPHONE]],
    ['an empty object', {}],
    ['parts of the wrong type', { os: [], sdk: 'x', device: 1, app: null, runtime: true }],
    [
      'values of the wrong type',
      { os: { id: {}, version: [] }, sdk: { id: null }, device: { name: {}, tz: 3, locale: {} } },
    ],
    ['a prototype in disguise', JSON.parse('{"__proto__":{"os":{"id":1}}}')],
  ]
  for (const [what, data] of nonsense) {
    it(`made of ${what} are all unknown`, () => {
      expect(readDetails(data)).to.deep.equal(NOTHING)
    })
  }

  it('that no column could take are cut and cleaned', () => {
    const details = readDetails({
      app: { version: `1\0${'x'.repeat(300)}` },
      sdk: { version: '\ud800a' },
      os: { id: 3, version: '😀'.repeat(300) },
      device: { name: 'n'.repeat(3_000_000), locale: 'x'.repeat(300) },
    })
    expect(details.appVersion).to.equal(`1${'x'.repeat(254)}`)
    expect(details.sdkVersion).to.equal('\ufffda')
    expect([...details.osVersion!]).to.have.length(255)
    expect(details.deviceModel).to.have.length(1024)
    expect(details.locale).to.have.length(255)
    expect(details.countryIsoCode).to.equal(null)
  })
})

describe('a user agent', () => {
  for (const [agent, expected] of [
    [FIREFOX_ON_WINDOWS, { os: 'Windows', osVersion: '10', name: 'Firefox on Windows' }],
    [CHROME_ON_ANDROID, { os: 'Android', osVersion: '10', name: 'Chrome on Android' }],
    [`${ON_WINDOWS} Edg/120.0.2210.91`, { os: 'Windows', osVersion: '10', name: 'Microsoft Edge on Windows' }],
    [
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0',
      { os: 'Linux', name: 'Firefox on Linux' },
    ],
    [
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Safari/537.36',
      { os: 'Chrome OS', name: 'Chrome on Chrome OS' },
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Safari/605.1.15',
      { os: 'macOS', osVersion: '10.15.7', name: 'Safari on macOS' },
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1',
      { os: 'iOS', osVersion: '17.2', name: 'Safari on iOS' },
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1',
      { os: 'iOS', osVersion: '16.6', name: 'Chrome on iOS' },
    ],
    [
      'Mozilla/5.0 (Android 14; Mobile; rv:121.0) Gecko/121.0 Firefox/121.0',
      { os: 'Android', osVersion: '14', name: 'Firefox on Android' },
    ],
    [
      'Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36',
      { os: 'Android', osVersion: '13', name: 'Samsung Internet for Android on Android' },
    ],
    ['curl/8.5.0', {}],
    ['x', {}],
    ['(', {}],
    ['\0', {}],
  ] as const) {
    it(`such as ${JSON.stringify(agent.slice(0, 40))} is told as ${JSON.stringify(expected)}`, () => {
      expect(readUserAgent(agent)).to.deep.equal(expected)
    })
  }
})

describe('the country of a locale', () => {
  for (const [locale, country] of Object.entries({
    'en-GB': 'GB',
    'zh-Hans-CN': 'CN',
    en_US: 'US',
    'de_AT.UTF-8': 'AT',
    'sr-Latn-RS-u-ca-gregory': 'RS',
    en: null,
    'es-419': null,
    'not a locale': null,
    '-': null,
  })) {
    it(`${locale} is ${country}`, () => {
      expect(countryOf(locale)).to.equal(country)
    })
  }
})

describe('a time zone', () => {
  for (const [zone, kept] of [
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['america/new_york', 'America/New_York'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['UTC', 'UTC'],
    ['Mars/Phobos', null],
    ['+02:00', null],
    ['', null],
    [null, null],
    [7200, null],
  ] as const) {
    it(`${JSON.stringify(zone)} is kept as ${kept}`, () => {
      expect(zoneOf(zone)).to.equal(kept)
    })
  }
})
