import { expect } from 'chai'
import { type OpenConsole, useConsole } from './support/console.ts'
import { loadPure } from './support/pure.ts'

interface Event {
  type: string
  userId: string | null
  data: object
}
type Words = {
  sayingOf(event: Event): { who: string; says: string }
  targetOf(event: Event): { label: string; path: string } | undefined
}

describe('an event in words', () => {
  let words: Words
  before(async () => {
    words = await loadPure<Words>('pages/events/words.ts')
  })

  const cases: readonly [Event, string, string | undefined][] = [
    [{ type: 'k.message.opened', userId: 'anna', data: { type: 1, id: 12 } }, 'anna opened a message', 'delivery/12'],
    [{ type: 'k.message.opened', userId: 'anna', data: { type: 2, id: 12 } }, 'anna opened a message', 'in-app/12'],
    [{ type: 'k.push.opened', userId: 'anna', data: { id: '12' } }, 'anna opened a push', 'delivery/12'],
    [{ type: 'notification.sent', userId: null, data: { notificationId: 3 } }, ' A push was sent', 'delivery/3'],
    [{ type: 'link.clicked', userId: null, data: { linkId: 4, slug: 'bread' } }, ' A link was clicked', 'links/4'],
    [{ type: 'geofence.left', userId: 'anna', data: { geofenceId: 5 } }, 'anna left a geofence', 'geofences/5'],
    [{ type: 'order.paid', userId: 'anna', data: { id: 9 } }, 'anna order.paid', undefined],
    [{ type: 'order.paid', userId: null, data: {} }, ' Event order.paid', undefined],
    [{ type: 'k.unheard', userId: 'anna', data: {} }, ' Event k.unheard', undefined],
  ]
  for (const [event, says, path] of cases) {
    it(`says “${says.trim()}” of ${event.type}, and leads to ${path ?? 'no page'}`, () => {
      const said = words.sayingOf(event)
      expect(`${said.who} ${said.says}`).to.equal(says)
      expect(words.targetOf(event)?.path).to.equal(path)
    })
  }
})

describe('the events in the console', function () {
  this.timeout(60_000)
  let console: OpenConsole
  useConsole((opened) => (console = opened))

  let sent = 0
  const report = (userId: string, type: string) =>
    console.server.call('POST', '/events/v1/events', {
      body: [{ userId, type, uuid: `order-${++sent}`, timestamp: console.server.clock.now(), data: { amount: sent } }],
    })

  it('an operator sees what comes while the page is open; an open event holds the others back', async () => {
    await console.visit(`/apps/${console.appId}`)
    await console.press('Events')
    await console.sees('No events yet')
    await report('anna', 'order.paid')
    await console.sees('order.paid')
    await console.press('Details')
    await console.sees('Place in the log')
    await report('berta', 'order.sent')
    // Besides, she is a new user.
    await console.sees('Show 2 new events')
    expect(await console.page.evaluate(`document.querySelector('main').innerText`)).to.not.include('order.sent')
    await console.press('Only events of this user')
    await console.misses('new event')
    expect(await console.page.evaluate(`location.search`)).to.equal('?user=anna')
    expect(await console.page.evaluate(`document.querySelector('main').innerText`)).to.not.include('order.sent')
  })

  it('an operator finds an event by a part of its id', async () => {
    await console.visit(`/apps/${console.appId}/events?q=ORDER-2`)
    await console.sees('order.sent')
    expect(await console.page.evaluate(`document.querySelectorAll('main tbody tr').length`)).to.equal(1)
    await console.visit(`/apps/${console.appId}/events?kind=opens`)
    await console.sees('No event fits')
  })
})
