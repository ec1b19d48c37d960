import { expect } from 'chai'
import { readDetails } from '../../../src/domain/crm/details.ts'
import { firstStart, makeToken } from '../../../src/domain/sandbox/phones.ts'
import type { PhoneKind } from '../../../src/domain/sandbox/types.ts'

const NOW = 1_700_000_000_000

describe('a phone of the sandbox', () => {
  const startOf = (kind: PhoneKind) =>
    firstStart(kind, { installId: 'i', userId: 'anna', token: 'token', bundle: 'com.example.shop', now: NOW })
  const dataOf = (kind: PhoneKind, type: string) =>
    startOf(kind).find((event) => event.type === type)?.data as Record<string, { id?: number; target?: number }>

  // Numbers of docs/reference/device-protocol.md section 5.
  const phones: [PhoneKind, codes: object, shown: object, registered: object][] = [
    [
      'iphone',
      { target: 2, sdk: 4, runtime: 1, os: 1 },
      { os: 'iOS', osVersion: '18.2', sdkType: 'swift', deviceModel: 'iPhone17,1', buildKind: 'release' },
      { token: 'token', type: 1, iosTokenType: 1, bundleId: 'com.example.shop' },
    ],
    [
      'android',
      { target: 2, sdk: 2, runtime: 1, os: 3 },
      { os: 'Android', osVersion: '15', sdkType: 'android', deviceModel: 'Pixel 9', buildKind: 'release' },
      { token: 'token', type: 2, package: 'com.example.shop', areNotificationsEnabled: true },
    ],
    [
      'chrome',
      { target: 2, sdk: 10, runtime: 8, os: 0 },
      { os: 'Windows', sdkType: 'web', deviceName: 'Chrome on Windows', buildKind: 'release' },
      { token: 'token', type: 3 },
    ],
    [
      'unifiedpush',
      { target: 2, sdk: 11, runtime: 9, os: 3 },
      { os: 'Android', osVersion: '15', sdkType: 'flutter', deviceModel: 'FP5', runsIn: 'app' },
      { token: 'token', type: 3 },
    ],
  ]
  for (const [kind, codes, shown, registered] of phones) {
    it(`says what the SDK of such a phone says (${kind})`, () => {
      const { app, sdk, runtime, os } = dataOf(kind, 'k.stats.installTracked')
      expect({ target: app!.target, sdk: sdk!.id, runtime: runtime!.id, os: os!.id }).to.deep.equal(codes)
      expect(readDetails(dataOf(kind, 'k.stats.installTracked'))).to.include({
        ...shown,
        locale: 'en-GB',
        timezone: 'Europe/Berlin',
        simulator: true,
      })
      expect(dataOf(kind, 'k.push.deviceRegistered')).to.deep.equal(registered)
    })
  }

  it('starts as the install, becomes its user, and takes in-app messages unless it is a browser', () => {
    const started = (kind: PhoneKind) => startOf(kind).map(({ type, userId }) => [type, userId])
    const [first, second, last] = [
      ['k.stats.installTracked', 'i'],
      ['k.stats.userAssociated', 'anna'],
      ['k.push.deviceRegistered', 'anna'],
    ]
    for (const kind of ['iphone', 'android', 'unifiedpush'] as const)
      expect(started(kind)).to.deep.equal([first, second, ['k.inApp.statusUpdated', 'anna'], last])
    expect(started('chrome')).to.deep.equal([first, second, last])
    expect(startOf('iphone').every(({ timestamp }) => timestamp === NOW)).to.equal(true)
  })

  it('has a token as long as those of the vendor', () => {
    expect(makeToken('iphone')).to.match(/^[0-9a-f]{64}$/)
    expect(makeToken('android')).to.match(/^[\w-]{22}:APA91b[\w-]{128}$/)
  })
})
