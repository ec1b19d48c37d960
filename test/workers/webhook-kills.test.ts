import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { sendWebhooks } from '../../src/workers/jobs/webhooks.ts'
import { makeCa } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { work, workUntil } from '../support/mortal.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'
import { addWebhook, tracker } from '../support/webhooks.ts'

const EVENTS = 60

describe('a webhook whose server ends', () => {
  const ca = makeCa()
  let server: Server
  let test: TestProgram
  let dir: string
  const messages: { id: string; text: string; headers: Record<string, string> }[] = []
  before(async () => {
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
    dir = mkdtempSync(join(tmpdir(), 'appsvc-hooks-'))
    const file = join(dir, 'ca.pem')
    writeFileSync(file, ca.certPem)
    test = await openTestProgram({ settings: { 'outbound.allowPrivate': origin(), 'gateways.caFile': file } })
  })
  after(async () => {
    await test.close()
    rmSync(dir, { recursive: true, force: true })
    server.closeAllConnections()
    server.close()
  })

  const origin = () => `https://localhost:${(server.address() as AddressInfo).port}`

  it('brings every event, in order, and repeats whole messages only, whatever the end interrupts', async () => {
    const { program, clock } = test
    // Verifiers go by the clock of the machine.
    clock.set(Date.now() - 60_000)
    const { secret } = await addWebhook(test, { url: `${origin()}/`, types: ['bought'], batch: { max: 7 } })
    await tracker(test).track(EVENTS)
    // The last message has waited for more events for long enough.
    clock.advance(60_000)
    for (const death of [
      'webhooks.held:2',
      'webhooks.answered:2',
      'webhooks.recorded:2',
      'webhooks.answered:1',
    ] as const)
      await workUntil(test, death, [sendWebhooks])
    const stop = new AbortController()
    const working = work({ program, owner: 'next', signal: stop.signal }, [sendWebhooks])
    const numbersOf = (text: string) =>
      (JSON.parse(text) as { data: { data: { n: number } }[] }).data.map(({ data }) => data.n)
    await eventually(() => messages.some(({ text }) => numbersOf(text).includes(EVENTS)), 'the last event came')
    stop.abort()
    await working

    const verifier = new Verifier(secret)
    const firsts = new Map<string, string>()
    for (const { id, text, headers } of messages) {
      expect(() => verifier.verify(text, headers)).to.not.throw()
      // A message that comes again is the same, and nothing came between.
      if (firsts.has(id)) expect([...firsts].at(-1)).to.deep.equal([id, text])
      firsts.set(id, text)
    }
    expect(messages.length).to.be.above(firsts.size)
    expect([...firsts.values()].flatMap(numbersOf)).to.deep.equal(Array.from({ length: EVENTS }, (_, n) => n + 1))
  })
})
