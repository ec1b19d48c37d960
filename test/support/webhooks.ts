import { eventJson } from '../../src/domain/followers/event-json.ts'
import { createSender } from '../../src/domain/webhooks/send/sender.ts'
import type { NewWebhook } from '../../src/domain/webhooks/service.ts'
import type { WebhookReport } from '../../src/domain/webhooks/types.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { HttpFailure } from '../../src/platform/net/http-exchange.ts'
import type { OutboundRequest, SendOutbound } from '../../src/platform/net/outbound.ts'
import type { Areas } from '../../src/program.ts'
import type { TestProgram } from './program.ts'

export const HOOK = 'https://hooks.example.com/in'

/** The response of an endpoint of a test to a request: a status, a status with headers, or a failure. */
export type Answer = number | { status: number; headers: Record<string, string> } | 'dies'

/** A message as an endpoint gets it. */
export interface Received {
  url: string
  headers: Record<string, string>
  text: string
  body: { type: string; timestamp?: string; data: unknown; replay?: true }
}

/** The number that `track` gave each event of a message. */
export function numbersOf({ body }: Received): number[] {
  const events = body.type === 'batch' ? (body.data as object[]) : [body.data as object]
  return events.map((event) => (event as { data: { n: number } }).data.n)
}

/** Endpoints that answer as a test says and remember what they got. */
export function scriptedEndpoints(answer: (request: OutboundRequest) => Answer | Promise<Answer> = () => 200) {
  const received: Received[] = []
  const send: SendOutbound = async (request) => {
    const text = String(request.body)
    received.push({
      url: request.url,
      headers: request.headers as Record<string, string>,
      text,
      body: JSON.parse(text) as Received['body'],
    })
    const given = await answer(request)
    if (given === 'dies') throw new HttpFailure('uncertain', 'socket hang up')
    const { status, headers } = typeof given === 'number' ? { status: given, headers: {} } : given
    return { status, headers, body: Buffer.alloc(0), isCut: false, certificateEnds: 0 }
  }
  return { received, send }
}

/** A worker that sends to webhooks, turn by turn. */
export function webhookWorker(
  { program, clock }: TestProgram,
  send: SendOutbound,
  owner = 'test',
  signal = new AbortController().signal,
) {
  const errors: unknown[] = []
  const sender = createSender<Areas>({
    read: program,
    inTransaction: (work) => program.inTransaction(work),
    send,
    present: eventJson,
    clock,
    log: silentLog,
    random: () => 0.5,
    owner,
    allowPrivate: false,
    ca: [],
  })
  const look = () => sender.look(signal, (error) => errors.push(error))
  return {
    look,
    settled: () => sender.settled(),
    errors,
    /** Sends all that can be sent now. */
    async turn(): Promise<void> {
      await look()
      await sender.settled()
      if (errors.length > 0) throw errors[0]
    },
  }
}

/** An app with a device, whose events are numbered by `track`. */
export function tracker({ program, clock, first }: TestProgram) {
  let n = 0
  return {
    /** Stores so many events of a type; their numbers. */
    async track(count = 1, type = 'bought', data: object = {}): Promise<number[]> {
      const numbers = Array.from({ length: count }, () => ++n)
      await program.inTransaction((tx) =>
        tx.events.ingest(
          first.id,
          'phone',
          numbers.map((number) => ({
            type,
            uuid: `u${number}`,
            timestamp: clock.now(),
            data: { n: number, ...data },
          })),
        ),
      )
      return numbers
    },
  }
}

/** A webhook of the first app, and its secret. */
export function addWebhook(
  { program, first }: TestProgram,
  given: Partial<NewWebhook> = {},
): Promise<{ webhook: WebhookReport; secret: string }> {
  return program.inTransaction((tx) => tx.webhooks.create(first.id, { url: HOOK, ...given }))
}
