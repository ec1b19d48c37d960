import { createECDH } from 'node:crypto'
import { expect } from 'chai'
import { FORMER_WORKER } from '../support/shop.ts'
import { evaluate, type Stage } from '../support/stage.ts'

export function formerStories(stage: () => Stage): void {
  describe('and a service that was there before', () => {
    after(() => stage().shop.empty())

    it('keeps those who are subscribed, by the worker at the old path, and asks nobody', async () => {
      const { shop, installOf, arrived, push } = stage()
      const key = createECDH('prime256v1').generateKeys('base64')
      const visitor = await shop.enter('granted')
      const subscribed = `standIn('subscribe', '${key}')
        window.questions = 0
        Notification.requestPermission = async () => (questions++, 'granted')`
      const page = await visitor.open('/', { worker: FORMER_WORKER }, subscribed)
      const installId = await installOf(page)
      await arrived(installId, 'k.push.deviceRegistered')
      await push(visitor, installId)
      expect((await visitor.shown()).length).to.equal(1)
      expect((await visitor.worker()).url()).to.equal(shop.origin + FORMER_WORKER)
      expect(await evaluate(page, 'questions')).to.equal(0)
      expect(visitor.problems).to.deep.equal([])
    })
  })
}
