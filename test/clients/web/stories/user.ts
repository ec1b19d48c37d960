import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { eventually } from '../../../support/eventually.ts'
import { newLink } from '../../../support/links.ts'
import type { Visitor } from '../support/shop.ts'
import { evaluate, type Stage } from '../support/stage.ts'

export function userStories(stage: () => Stage): void {
  describe('and its user', () => {
    after(() => stage().shop.empty())
    let visitor: Visitor
    let page: Page
    let installId: string
    before(async () => {
      visitor = await stage().shop.enter('prompt')
      ;({ page, installId } = await stage().settled(visitor))
    })

    it('says who it is once, and with a token where users are signed', async () => {
      const { server, showInstall, events } = stage()
      const { program, first } = server
      const setMode = (mode: 'off' | 'require') => program.inTransaction((tx) => tx.signedIds.setMode(first.id, mode))
      await program.inTransaction((tx) => tx.signedIds.rotate(first.id, 0))
      await setMode('require')
      const token = JSON.stringify(await program.signedIds.sign(first.id, 'anna', 0))
      await evaluate(page, `app.user.is('anna', { token: ${token}, attributes: { tier: 'gold' } })`)
      expect(await showInstall(installId)).to.include({ userIdentifier: 'anna' })
      expect(await program.crm.attributes(first.id, 'anna')).to.deep.equal({ tier: 'gold' })
      expect(await evaluate(page, 'app.consent.list()')).to.deep.equal([])
      await evaluate(page, `app.user.is('anna', { token: ${token}, attributes: { tier: 'gold' } })`)
      expect(await events(installId, 'k.stats.userAssociated')).to.have.length(1)

      // Without a token nobody speaks for her.
      await evaluate(page, `app.user.is('bert')`)
      expect(await showInstall(installId)).to.include({ userIdentifier: 'anna' })
      expect(await evaluate(page, 'app.consent.list().catch(String)')).to.include('403')
      await evaluate(page, 'app.user.isNobody()')
      expect(await showInstall(installId)).to.include({ userIdentifier: installId })
      await setMode('off')
      expect(visitor.problems).to.deep.equal([])
    })

    it('allows and refuses purposes, also while it is offline', async () => {
      const { program, first, call } = stage().server
      for (const uid of ['offers', 'news']) {
        await call('PUT', `/crm/v1/purposes/${uid}`, { body: { name: uid, default: true } })
      }
      const isAllowed = async (wanted: object) => {
        const all = await program.purposes.allowedBy(first.id, 'clara')
        const allowed = Object.fromEntries(all.map(({ purpose, allowed }) => [purpose.uid, allowed]))
        return JSON.stringify(allowed) === JSON.stringify(wanted)
      }
      await evaluate(page, `app.user.is('clara').then(() => app.consent.set('offers', false))`)
      expect(await isAllowed({ offers: false, news: true })).to.equal(true)
      await page.setOfflineMode(true)
      await evaluate(page, `app.consent.set('news', false)`)
      expect(await isAllowed({ offers: false, news: true })).to.equal(true)
      await page.setOfflineMode(false)
      await eventually(() => isAllowed({ offers: false, news: false }), 'both choices')
      expect(await evaluate(page, `app.consent.set('nothing', true).catch(String)`)).to.include('422')
      const listed = 'all.map(({ uid, allowed, choice }) => [uid, allowed, choice.source])'
      expect(await evaluate(page, `app.consent.list().then((all) => ${listed})`)).to.have.deep.members([
        ['news', false, 'device'],
        ['offers', false, 'device'],
      ])
    })

    it('follows links, and says what is wrong with others', async () => {
      const { program, first } = stage().server
      const links = await program.inTransaction((tx) =>
        tx.links.create(first.id, [newLink({ slug: 'sale/now', linkData: { sku: 'a1' }, content: { title: 'Sale' } })]),
      )
      const url = `${program.links.baseOf(await program.links.site(first.id))}/${links[0]!.slug}`
      const found = { state: 'matched', url: `${url}?a=1`, data: { sku: 'a1' }, title: 'Sale' }
      expect(await evaluate(page, `app.links.match('${url}?a=1')`)).to.deep.equal(found)
      await stage().arrived(installId, 'k.deepLink.matched')
      const none = { state: 'none', why: 'There is no such link.' }
      expect(await evaluate(page, `app.links.match('${url}/other')`)).to.deep.equal(none)
      // Without an address: the link that this device tapped before, which the page of the server knows in a frame.
      expect(await evaluate(page, 'app.links.match()')).to.deep.equal(none)
      expect(visitor.problems).to.deep.equal([])
    })
  })
}
