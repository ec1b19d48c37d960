import { expect } from 'chai'
import { gateways } from '../../../src/domain/gateways/registry.ts'

/** `device_type` and `type` of OneSignal: documentation.onesignal.com, Subscriptions. */
const ONE_SIGNAL = {
  iOSPush: 0,
  AndroidPush: 1,
  ChromePush: 5,
  SafariLegacyPush: 7,
  FirefoxPush: 8,
  EdgePush: 12,
  HuaweiPush: 13,
  SafariPush: 17,
}

describe('what other services call our gateways', () => {
  const all = Object.values(gateways)

  it('OneSignal, by its numbers', () => {
    expect(Object.assign({}, ...all.map(({ elsewhere }) => elsewhere.oneSignal))).to.deep.equal(ONE_SIGNAL)
  })

  it('is a word of one of them only', () => {
    const names = all.flatMap(({ elsewhere }) => elsewhere.names)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).to.deep.equal([])
  })
})
