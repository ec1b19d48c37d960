import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { type Appliance, openAppliance } from '../support/appliance.ts'
import { makeCa } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const EVENTS = 60

describe('a webhook whose server is killed', () => {
  const ca = makeCa()
  let server: Server
  let one: Appliance
  const messages: { id: string; text: string; headers: Record<string, string> }[] = []
  before(async function () {
    this.timeout(PROGRAMS_MS)
    const { certPem, keyPem } = ca.issue({ cn: 'localhost', altNames: ['localhost'] })
    server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.once('end', () => {
        const headers = request.headers as Record<string, string>
        messages.push({ id: headers['webhook-id']!, text: Buffer.concat(chunks).toString(), headers })
        response.writeHead(200).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    one = await openAppliance({
      environment: { APPSVC_OUTBOUND_ALLOW_PRIVATE: `https://localhost:${(server.address() as AddressInfo).port}` },
    })
    writeFileSync(join(one.dir, 'hooks-ca.pem'), ca.certPem)
    one.environment.APPSVC_GATEWAYS_CA_FILE = join(one.dir, 'hooks-ca.pem')
  })
  after(async () => {
    await one.close()
    server.closeAllConnections()
    server.close()
  })

  it('brings every event, in order, and repeats whole messages only, whatever the kill interrupts', async function () {
    this.timeout(PROGRAMS_MS)
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`
    await one.start()
    const made = await one.call('POST', '/messages/v1/webhooks', { url, types: ['bought'], batch: { max: 7 } })
    expect(made.status).to.equal(201)
    const { secret } = made.body as { secret: string }
    expect((await one.stop()).code).to.equal(0)
    const list = Array.from({ length: EVENTS }, (_, n) => ({
      type: 'bought',
      uuid: `u${n}`,
      timestamp: Date.now(),
      data: { n },
    }))
    await one.inside((app) => app.inTransaction((tx) => tx.events.ingest(one.first.id, 'phone', list)))
    for (const point of ['webhooks.held:2', 'webhooks.answered:2', 'webhooks.recorded:2', 'webhooks.answered:1']) {
      await one.start({ APPSVC_FAILPOINTS: point }).catch(() => {})
      await one.ended()
    }
    await one.start()
    const numbersOf = (text: string) =>
      (JSON.parse(text) as { data: { data: { n: number } }[] }).data.map(({ data }) => data.n)
    await eventually(() => messages.some(({ text }) => numbersOf(text).includes(EVENTS - 1)), 'the last event came')
    expect((await one.stop()).code).to.equal(0)

    const verifier = new Verifier(secret)
    const firsts = new Map<string, string>()
    for (const { id, text, headers } of messages) {
      expect(() => verifier.verify(text, headers)).to.not.throw()
      // A message that comes again is the same, and nothing came between.
      if (firsts.has(id)) expect([...firsts].at(-1)).to.deep.equal([id, text])
      firsts.set(id, text)
    }
    expect(messages.length).to.be.above(firsts.size)
    expect([...firsts.values()].flatMap(numbersOf)).to.deep.equal(Array.from({ length: EVENTS }, (_, n) => n))
  })
})
