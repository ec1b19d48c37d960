import { expect } from 'chai'
import { createDiscovery, discoveryOf } from '../../../../src/domain/gateways/web/discovery.ts'
import { type ExchangeReply, HttpFailure } from '../../../../src/platform/net/http-exchange.ts'
import type { OutboundRequest } from '../../../../src/platform/net/outbound.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const HOUR = 3_600_000
const YES = '{"unifiedpush":{"version":1}}'

type Answer = Partial<Omit<ExchangeReply, 'body'>> & { body?: string }

/** A discovery whose hosts give these answers. */
function world(answer: (request: OutboundRequest) => Answer | HttpFailure | Promise<Answer>) {
  const asked: OutboundRequest[] = []
  const clock = { now: NOW }
  const discovery = createDiscovery({
    ca: ['CA'],
    allowPrivate: false,
    now: () => clock.now,
    async sendHttp(request) {
      asked.push(request)
      const given = await answer(request)
      if (given instanceof HttpFailure) throw given
      const { body = '', ...more } = given
      return { status: 200, headers: {}, isCut: false, certificateEnds: 0, ...more, body: Buffer.from(body) }
    },
  })
  /** Asks as a sender does before it sends. */
  const send = async (endpoint: string) => {
    const found = discovery.find(at(endpoint))
    return found === 'ask' ? discovery.ask(at(endpoint)) : found
  }
  return { discovery, send, asked, clock }
}

function at(endpoint: string) {
  const { origin, hostname, pathname, search } = new URL(endpoint)
  return { origin, hostname, path: pathname + search }
}

const OWN = 'https://ntfy.example.com'

describe('the discovery of UnifiedPush', () => {
  it('asks a host once, at the whole endpoint, and believes a yes for all of its endpoints for a day', async () => {
    const { send, asked, clock } = world(() => ({ body: `${YES}\n` }))
    expect(await send(`${OWN}/upABC?up=1`)).to.equal(undefined)
    expect(asked).to.have.length(1)
    expect(asked[0]).to.deep.include({ url: `${OWN}/upABC?up=1`, ca: ['CA'], allowPrivate: false, deadlineMs: 5000 })
    expect(asked[0]!.method ?? 'GET').to.equal('GET')
    for (const path of ['/upABC?up=1', '/upDEF?up=1']) expect(await send(OWN + path)).to.equal('accepted')
    clock.now += 24 * HOUR
    await send(`${OWN}/upDEF?up=1`)
    expect(asked).to.have.length(2)
  })

  const noes: [string, Answer][] = [
    ['another page', { body: '<html>' }],
    ['another version', { body: '{"unifiedpush":{"version":2}}' }],
    ['a version in words', { body: '{"unifiedpush":{"version":"1"}}' }],
    ['no object', { body: '[1]' }],
    ['nothing', {}],
    ['more than an answer has', { body: `${YES}${' '.repeat(2000)}`, isCut: true }],
    ['a redirect', { status: 302, headers: { location: 'https://10.0.0.1/' }, body: YES }],
    ['404', { status: 404, body: YES }],
    ['410', { status: 410 }],
    ['413', { status: 413 }],
  ]
  for (const [name, answer] of noes) {
    it(`refuses a push to an endpoint that answers ${name}, keeps its token, and does not ask for an hour`, async () => {
      const { send, asked, clock } = world(() => answer)
      const outcome = await send(`${OWN}/a`)
      expect(outcome).to.include({ kind: 'payload_error', everyone: false })
      expect(outcome).to.have.property('reason').that.includes('ntfy.example.com is not a known push service')
      expect(await send(`${OWN}/a`)).to.deep.equal(outcome)
      expect(asked).to.have.length(1)
      clock.now += HOUR
      await send(`${OWN}/a`)
      expect(asked).to.have.length(2)
    })
  }

  it('lets no wrong endpoint speak for its host', async () => {
    const { send, asked, clock } = world(({ url }) => ({ body: url.endsWith('up=1') ? YES : '' }))
    for (let i = 0; i < 5; i++) expect(await send(`${OWN}/wrong${i}`)).to.include({ kind: 'payload_error' })
    // Too many wrong ones: the others wait for their turn.
    expect(await send(`${OWN}/right?up=1`)).to.include({ kind: 'gateway_down', afterMs: 10_000, local: 'recipient' })
    expect(asked).to.have.length(5)
    clock.now += 10_000
    expect(await send(`${OWN}/right?up=1`)).to.equal(undefined)
    expect(await send(`${OWN}/another`)).to.equal('accepted')
  })

  const later: [string, Answer | HttpFailure][] = [
    ['500', { status: 500 }],
    ['503', { status: 503, headers: { 'retry-after': '7' } }],
    ['429', { status: 429 }],
    ['nothing in time', new HttpFailure('uncertain', 'timed out')],
    ['under no address', new HttpFailure('unknown_host', 'no such host')],
    ['with a wrong certificate', new HttpFailure('untrusted', 'self-signed')],
  ]
  for (const [name, answer] of later) {
    it(`tries again later when the host answers ${name}`, async () => {
      const { send, asked } = world(() => answer)
      expect(await send(`${OWN}/a`)).to.include({ kind: 'gateway_down', local: true })
      await send(`${OWN}/a`)
      expect(asked).to.have.length(2)
    })
  }

  it('waits for the time that a host names, unless it is none', async () => {
    const after = async (seconds: string) =>
      world(() => ({ status: 503, headers: { 'retry-after': seconds } })).send(`${OWN}/a`)
    expect(await after('7')).to.include({ afterMs: 7000 })
    expect(await after('0')).not.to.have.property('afterMs')
  })

  it('gives a subscription up whose host turns out to be private', async () => {
    const { send } = world(() => new HttpFailure('refused', 'x resolves to 10.0.0.1, not a public address'))
    const outcome = await send(`${OWN}/a`)
    expect(outcome).to.include({ kind: 'token_dead', local: true })
    expect(outcome).to.have.property('reason').that.includes('10.0.0.1')
  })

  it('asks each host once at a time and eight hosts at the same time, while known ones go on', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const { send, asked } = world(({ url }) => (url.startsWith(OWN) ? { body: YES } : promise))
    await send(`${OWN}/a`)
    const asking = Array.from({ length: 8 }, (_, i) => send(`https://slow${i}.example.com/a`))
    expect(await send('https://slow0.example.com/b')).to.include({ kind: 'gateway_down', local: 'recipient' })
    expect(await send('https://ninth.example.com/a')).to.include({ kind: 'gateway_down', local: 'recipient' })
    expect(await send(`${OWN}/b`)).to.equal('accepted')
    expect(asked).to.have.length(9)
    resolve({ body: YES })
    expect(await Promise.all(asking)).to.deep.equal(Array(8).fill(undefined))
    expect(await send('https://ninth.example.com/a')).to.equal(undefined)
  })

  it('lets a former yes stand while the host is being asked again', async () => {
    let later: Promise<Answer> | undefined
    const { send, clock } = world(() => later ?? { body: YES })
    await send(`${OWN}/a`)
    clock.now += 24 * HOUR
    const { promise, resolve } = Promise.withResolvers<Answer>()
    later = promise
    const again = send(`${OWN}/a`)
    expect(await send(`${OWN}/b`)).to.equal('accepted')
    resolve({ body: 'moved' })
    expect(await again).to.include({ kind: 'payload_error' })
    expect(await send(`${OWN}/a`)).to.include({ kind: 'payload_error' })
  })

  it('is the same for all apps of a server', () => {
    const parts = { ca: [], allowPrivate: false, now: () => NOW }
    const hosts = { anyHost: false, unifiedPush: true, extraHosts: [] }
    expect(discoveryOf(hosts, parts)).to.equal(discoveryOf(hosts, parts))
    expect(discoveryOf(hosts, parts)).not.to.equal(discoveryOf({ ...hosts }, parts))
  })

  it('remembers a bounded number of hosts', async () => {
    const { send, asked } = world(() => ({ body: YES }))
    for (let i = 0; i < 1001; i++) await send(`https://h${i}.example.com/a`)
    expect(await send('https://h1000.example.com/a')).to.equal('accepted')
    expect(await send('https://h0.example.com/a')).to.equal(undefined)
    expect(asked).to.have.length(1002)
  })
})
