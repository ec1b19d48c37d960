import { expect } from 'chai'
import { agrees, decodeFingerprint, readFingerprint, systemOf } from '../../../../src/domain/links/match/fingerprint.ts'
import { ANDROIDS, DESKTOPS, IPHONES } from '../agents.ts'

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const digest = (components: unknown) => readFingerprint(components)?.digest

describe('a fingerprint', () => {
  it('is of an object, whatever the order of its components', () => {
    expect(digest({ a: '1', b: '2' })).to.equal(digest({ b: '2', a: '1' }))
    expect(digest({ a: 1, b: true })).to.equal(digest({ a: '1', b: 'true' }))
    for (const other of [
      { a: '1' },
      { a: '1', b: '3' },
      { a: '1', b: '2', c: '' },
      { a: '12', b: '' },
      { 'a","1"],["b': '2' },
    ]) {
      expect(digest(other)).to.not.equal(digest({ a: '1', b: '2' }))
    }
    expect(readFingerprint({ platform: 'iOS', osMajor: '17' })).to.include({ platform: 'iOS', osMajor: '17' })
    expect(readFingerprint({ a: '1', platform: '\0' })).to.have.property('platform', undefined)
  })

  it('is none without components, and none of what is nested or endless', () => {
    const wrong = [{}, [], null, 'x', 7, { a: {} }, { a: null }, { a: ['1'] }, { a: 'x'.repeat(1001) }]
    for (const value of [...wrong, Object.fromEntries(Array.from({ length: 65 }, (_, i) => [i, 'x']))]) {
      expect(digest(value), JSON.stringify(value)).to.equal(undefined)
    }
  })

  it('comes as base64 in every form in which clients send it', () => {
    const components = { a: '~~~???>>>', b: 'ü€', c: 'x' }
    const encoded = base64(components)
    expect(encoded).to.include('+')
    const forms = [
      encoded,
      encoded.replaceAll('+', ' '),
      encoded.replace(/=+$/, ''),
      encoded.replaceAll('+', '-').replaceAll('/', '_'),
    ]
    for (const form of forms) expect(decodeFingerprint(form)).to.deep.equal(components)
    for (const wrong of ['', '%', 'e30', 'bm8=', '/////w==', base64(components).slice(0, 9)]) {
      expect(readFingerprint(decodeFingerprint(wrong)), wrong).to.equal(undefined)
    }
  })

  it('agrees with another when what both say of the system is the same', () => {
    const none = { platform: undefined, osMajor: undefined }
    expect(agrees(none, { platform: 'iOS', osMajor: '17' })).to.equal(true)
    expect(agrees({ platform: 'iOS', osMajor: undefined }, { platform: 'iOS', osMajor: '17' })).to.equal(true)
    expect(agrees({ platform: 'iOS', osMajor: '16' }, { platform: 'iOS', osMajor: '17' })).to.equal(false)
    expect(agrees({ platform: 'Android', osMajor: '14' }, { platform: 'iOS', osMajor: undefined })).to.equal(false)
  })

  const systems: [string, string, string | undefined, string | undefined][] = [
    ['Safari', IPHONES.Safari, 'iOS', '17'],
    ['Safari of iOS 26, which says 18', IPHONES['Safari of iOS 26'], 'iOS', '26'],
    ['an old iPad', IPHONES['an old iPad'], 'iOS', '12'],
    ['an app on iOS 17', 'Shop/12 CFNetwork/1494.0.7 Darwin/23.4.0', 'iOS', '17'],
    ['an app on iOS 26', 'Shop/12 CFNetwork/3826.400 Darwin/25.0.0', 'iOS', '26'],
    ['Chrome, which says 10 always', ANDROIDS.Chrome, 'Android', undefined],
    ['Samsung', ANDROIDS.Samsung, 'Android', '14'],
    ['an app on Android', 'Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A)', 'Android', '14'],
    ['an HTTP client of apps', 'okhttp/4.12.0', undefined, undefined],
    ['a desktop', DESKTOPS['Chrome on Windows'], undefined, undefined],
  ]
  for (const [name, agent, platform, osMajor] of systems) {
    it(`knows the system of ${name}`, () => {
      expect(systemOf(agent)).to.deep.equal({ platform, osMajor })
    })
  }
})
