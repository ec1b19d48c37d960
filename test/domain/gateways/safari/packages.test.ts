import { expect } from 'chai'
import { IconFailure, type IconSet, makeIcons } from '../../../../src/domain/gateways/safari/icons.ts'
import { createPushPackages } from '../../../../src/domain/gateways/safari/packages.ts'
import { createVault } from '../../../../src/platform/crypto/vault.ts'
import { silentLog } from '../../../../src/platform/log/log.ts'
import { testClock } from '../../../support/clock.ts'
import { makePng, openedWebsite, WEBSITE_PUSH_ID } from './website.ts'

/** App 1 has an icon that never comes until `arrive`, app 2 has one at once. */
async function makers() {
  const { secret, facts } = await openedWebsite()
  const icons = await makeIcons(makePng(64, 64))
  const late = Promise.withResolvers<IconSet>()
  const config = (appId: number) => ({
    id: appId,
    version: 1,
    facts: { ...facts, iconUrl: `https://icons.example/${appId}` },
  })
  const packages = createPushPackages({
    gateways: {
      find: async (appId: number) => config(appId),
      credential: async (appId: number) => ({ ...config(appId), secret }),
    },
    settings: { pushAddress: 'https://appsvc.example/push' } as never,
    vault: createVault(Buffer.alloc(32)),
    clock: testClock(),
    log: silentLog,
    fetchIcons: (iconUrl) => (iconUrl.endsWith('/1') ? late.promise : Promise.resolve(icons)),
  })
  const make = (appId: number) => packages.make(appId, 'ak', WEBSITE_PUSH_ID, 'v2')
  return { make, arrive: () => late.resolve(icons), fail: () => late.reject(new IconFailure('gone')) }
}

describe('push packages', () => {
  it('of one website are made while the icon of another does not come', async () => {
    const { make, arrive } = await makers()
    const waiting = Array.from({ length: 70 }, () => make(1).then(() => 'made', String))
    const refused = await Promise.all(waiting.slice(64))
    expect(refused.every((answer) => answer.includes('too many push packages'))).to.equal(true)
    expect(await make(2)).to.be.instanceOf(Buffer)
    arrive()
    expect(new Set(await Promise.all(waiting.slice(0, 64)))).to.deep.equal(new Set(['made']))
    expect(await make(1)).to.be.instanceOf(Buffer)
  })

  it('are refused to all who waited when the icon does not come', async () => {
    const { make, fail } = await makers()
    const waiting = Array.from({ length: 10 }, () => make(1).then(() => 'made', String))
    fail()
    for (const answer of await Promise.all(waiting)) expect(answer).to.include('the icon of this website')
  })
})
