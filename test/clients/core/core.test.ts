import { expect } from 'chai'
import {
  batchOf,
  fateOf,
  fulfils,
  type InAppMessage,
  linkPath,
  merged,
  messagesPath,
  newestChange,
  newUuid,
  readPush,
  type Trigger,
  toList,
  toShow,
  waitAfter,
} from '../../../clients/core/src/index.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const MESSAGE: InAppMessage = {
  id: 1,
  presentedWhen: 'immediately',
  content: {},
  data: null,
  inbox: null,
  updatedAt: '2026-06-01T11:00:00+0000',
  sentAt: '2026-06-01T11:00:00+0000',
  expiresAt: null,
  openedAt: null,
  readAt: null,
  inboxDeletedAt: null,
}
const INBOX = { title: 'T', subtitle: '' }
const message = (given: Partial<InAppMessage>): InAppMessage => ({ ...MESSAGE, ...given })
const EARLIER = '2026-06-01T11:59:59+0000'
const LATER = '2026-06-01T12:00:01+0000'

describe('the queue of events', () => {
  const BATCHES: [string, string[], number, number][] = [
    ['nothing of nothing', [], 100, 0],
    ['all that fits', ['a', 'b'], 100, 2],
    ['what fits', ['aaaa', 'bbbb', 'cccc'], 13, 2],
    ['one that is too large by itself', ['a'.repeat(200), 'b'], 100, 1],
    ['a hundred at most', Array.from({ length: 150 }, () => 'a'), 10_000, 100],
  ]
  for (const [what, waiting, most, count] of BATCHES) {
    it(`sends at once ${what}`, () => expect(batchOf(waiting, most)).to.deep.equal(waiting.slice(0, count)))
  }

  const FATES: [number | undefined, string][] = [
    [202, 'stored'],
    [204, 'stored'],
    [401, 'locked'],
    [403, 'locked'],
    [400, 'refused'],
    [413, 'refused'],
    [422, 'refused'],
    // A proxy, or a server that is being changed.
    [302, 'later'],
    [404, 'later'],
    [405, 'later'],
    [408, 'later'],
    [429, 'later'],
    [500, 'later'],
    [503, 'later'],
    [undefined, 'later'],
  ]
  for (const [status, fate] of FATES) {
    it(`is ${fate} after ${status ?? 'no answer'}`, () => expect(fateOf(status)).to.equal(fate))
  }

  it('waits longer after each failure, for five minutes at most, by chance, and as long as the server asks', () => {
    expect([0, 1, 2, 20].map((failures) => waitAfter(failures, 0, 1))).to.deep.equal([1000, 2000, 4000, 300_000])
    expect(waitAfter(2, 0, 0)).to.equal(2000)
    expect(waitAfter(0, 30, 1)).to.equal(30_000)
    // A timer of JavaScript that is set for longer than 24 days goes off at once.
    expect(waitAfter(0, 9_999_999, 1)).to.equal(86_400_000)
  })

  it('has ids that are UUIDs', () => {
    expect(newUuid()).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe('paths of the device interface', () => {
  it('have names as one segment', () => {
    expect(messagesPath('a/b@c', '2026-06-01T11:00:00Z')).to.equal(
      '/push/v1/users/a%2Fb%40c/messages?after=2026-06-01T11%3A00%3A00Z',
    )
  })

  it('have the slug of a link as one segment, and its query behind ours', () => {
    expect(linkPath(new URL('https://go.example/sale/now%20!/?a=1&wasDeferred=1#x'), false)).to.equal(
      '/links/v1/deeplinks/sale%2Fnow%20!?wasDeferred=0&a=1&wasDeferred=1',
    )
  })
})

describe('a push', () => {
  const block = {
    'k.message': { type: 1, data: { id: 7 } },
    'k.deepLink': { type: 1, data: { id: 9 } },
    'k.buttons': [{ id: 'a', text: 'A' }],
    sku: 'x',
  }

  it('is read with and without its declarative part', () => {
    const plain = { title: 'T', msg: 'M', data: block, url: null, image: null, icon: 'https://x/i.png' }
    const read = {
      id: 7,
      title: 'T',
      message: 'M',
      url: null,
      icon: 'https://x/i.png',
      image: undefined,
      tag: undefined,
      buttons: [{ id: 'a', text: 'A' }],
      badge: undefined,
      inAppId: 9,
      data: { sku: 'x' },
    }
    expect(readPush(plain)).to.deep.equal(read)
    const badge = { type: 'setTo', count: 3 } as const
    expect(readPush({ web_push: 8030, notification: { tag: 't' }, badge, ...plain })).to.deep.equal({
      ...read,
      tag: 't',
      badge,
    })
  })

  it('has its badge in the block, too, which is all that the worker of a declarative push gets', () => {
    const badge = { type: 'incrementBy', count: 2 } as const
    const read = readPush({ data: { ...block, 'k.badge': badge } })
    expect(read?.badge).to.deep.equal(badge)
    expect(read?.data).to.deep.equal({ sku: 'x' })
  })

  for (const foreign of [
    undefined,
    null,
    'text',
    7,
    [],
    {},
    { data: null },
    { data: { 'k.message': null } },
    { data: { 'k.message': { data: { id: '7' } } } },
  ]) {
    it(`is not ours: ${JSON.stringify(foreign)}`, () => expect(readPush(foreign)).to.equal(undefined))
  }
})

describe('in-app messages', () => {
  const SHOWN: [string, Partial<InAppMessage>, atStart: boolean, later: boolean][] = [
    ['at once', {}, true, true],
    ['at the next start', { presentedWhen: 'next-open' }, true, false],
    ['never', { presentedWhen: 'never' }, false, false],
    ['not when it was closed elsewhere', { openedAt: EARLIER }, false, false],
    ['not when it was removed', { inboxDeletedAt: EARLIER }, false, false],
    ['not when it is over', { expiresAt: EARLIER }, false, false],
    ['until it is over', { expiresAt: LATER }, true, true],
  ]
  for (const [when, given, atStart, later] of SHOWN) {
    it(`is shown ${when}`, () => {
      const all = [message(given)]
      expect([toShow(all, true, NOW), toShow(all, false, NOW)].map(({ length }) => length === 1)).to.deep.equal([
        atStart,
        later,
      ])
    })
  }

  const LISTED: [string, Partial<InAppMessage>, boolean][] = [
    ['with an entry', { inbox: INBOX }, true],
    ['without one', {}, false],
    ['although it was closed', { inbox: INBOX, openedAt: EARLIER }, true],
    ['not when it was removed', { inbox: INBOX, inboxDeletedAt: EARLIER }, false],
    ['from its time on', { inbox: { ...INBOX, from: EARLIER, to: LATER } }, true],
    ['not ahead of it', { inbox: { ...INBOX, from: LATER } }, false],
    ['not behind it', { inbox: { ...INBOX, to: EARLIER } }, false],
  ]
  for (const [when, given, isListed] of LISTED) {
    it(`is in the inbox ${when}`, () => expect(toList([message(given)], NOW)).to.have.length(Number(isListed)))
  }

  it('keep what this device knows, newest first, fifty at most', () => {
    const read = message({ inbox: INBOX, readAt: EARLIER })
    expect(merged([read], [message({ inbox: INBOX })], NOW)[0]).to.include({ readAt: EARLIER })
    expect(merged([message({})], [message({ openedAt: EARLIER })], NOW)).to.deep.equal([])
    const many = Array.from({ length: 60 }, (_, i) => message({ id: i, sentAt: i === 0 ? LATER : EARLIER }))
    const kept = merged([], many, NOW)
    expect(kept.map(({ id }) => id)).to.deep.equal([0, ...Array.from({ length: 49 }, (_, i) => 59 - i)])
  })

  it('tell where the next sync begins, in a form that every server reads', () => {
    expect(newestChange([message({}), message({ updatedAt: LATER })])).to.equal('2026-06-01T12:00:01Z')
    expect(newestChange([])).to.equal(undefined)
  })
})

describe('the condition of a prompt', () => {
  const CASES: [NonNullable<Trigger['filters']>, boolean][] = [
    [[], true],
    [[['path', 'in', ['/shop/*']]], true],
    [[['path', 'IN', ['/about', '*/shoes']]], true],
    [[['path', 'in', ['/shop']]], false],
    [[['path', 'in', ['*']]], true],
    [[['path', 'in', ['/sh*p/*es']]], true],
    [[['path', 'in', ['/shop/shoe*hoes']]], false],
    [[['path', 'in', ['/shop/.*']]], false],
    [[['value', 'in', [1, 20]]], true],
    [[['value', '=', 20]], true],
    [[['value', '=', '20']], false],
    [[['member', '=', true]], true],
    [[['value', '>', 19]], true],
    [[['value', '>', 20]], false],
    [[['value', '>=', 20]], true],
    [[['value', '<', 21]], true],
    [[['value', '<=', 19]], false],
    [[['missing', '<', 1]], false],
    [[['missing', '=', 1]], false],
    [
      [
        ['value', '=', 20],
        ['path', '=', '/'],
      ],
      false,
    ],
  ]
  const data = { path: '/shop/shoes', value: 20, member: true }
  for (const [filters, holds] of CASES) {
    it(`${holds ? 'holds' : 'does not hold'}: ${JSON.stringify(filters)}`, () => {
      expect(fulfils({ event: 'k.pageViewed', filters }, 'k.pageViewed', data)).to.equal(holds)
      expect(fulfils({ event: 'other', filters }, 'k.pageViewed', data)).to.equal(false)
    })
  }
})
