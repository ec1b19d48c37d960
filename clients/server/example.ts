/**
 * A shop's server: reports what people buy, tells them about it, gives apps the token of their user, and hears what happens on phones.
 *
 *     APPSVC_URL=https://push.example.com API_KEY=… SERVER_KEY=… SIGNING_KEY=… WEBHOOK_SECRET=… node example.js
 */
import { createServer, type IncomingMessage } from 'node:http'
import { AppsvcError, appsvc, signUser, verifyWebhook, WebhookVerificationError } from '@appsvc/server'

const { APPSVC_URL = '', API_KEY = '', SERVER_KEY = '', SIGNING_KEY = '', WEBHOOK_SECRET = '' } = process.env
const app = appsvc({ url: APPSVC_URL, apiKey: API_KEY, serverKey: SERVER_KEY })

/** Reports an order and tells the person about it, each once, however often a shop calls this with the same order. */
async function pay(order: { id: string; user: string; amount: number }): Promise<string> {
  const { id, user, amount } = order
  await app.events.report([{ userId: user, type: 'order.paid', uuid: id, data: { amount } }])
  const push = { title: 'Thank you', message: `We got ${amount} €.`, data: { screen: `orders/${id}` } }
  const result = await app.notifications.send(
    { target: { userIds: [user] }, content: push },
    { idempotencyKey: `paid-${id}` },
  )
  return result.accepted ? `push ${result.sent.id} is on its way` : `${user} has no phone that takes pushes`
}

/** Reads a message of a webhook, which comes again unless it is answered with 2xx within 15 seconds. */
function hear(request: IncomingMessage, body: string): string {
  const { events } = verifyWebhook(WEBHOOK_SECRET, request.headers, body)
  for (const event of events) console.log(`${event.userId} did ${event.type}`)
  return `heard ${events.length}`
}

/** Does what a request asks for. */
async function answer(request: IncomingMessage, body: string): Promise<string> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  switch (`${request.method} ${pathname}`) {
    case 'POST /orders':
      return pay(JSON.parse(body) as Parameters<typeof pay>[0])
    case 'POST /hooks':
      return hear(request, body)
    case 'GET /token':
      // Of the person who signed in at your server, not of a name that a request may choose.
      return signUser(SIGNING_KEY, searchParams.get('user') ?? '')
    case 'GET /channels': {
      const names: string[] = []
      for await (const channel of app.list('/messages/channels')) names.push(channel.name ?? channel.uuid)
      return names.join('\n')
    }
    default:
      return 'nothing here'
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const server = createServer((request, response) => {
  textOf(request)
    .then((body) => answer(request, body))
    .then((text) => response.end(`${text}\n`))
    .catch((error: unknown) => {
      const isForged = error instanceof WebhookVerificationError
      response.statusCode = isForged ? 400 : error instanceof AppsvcError ? 502 : 500
      response.end(`${String(error)}\n`)
    })
})
server.listen(Number(process.env.PORT ?? 3000), () => console.log(JSON.stringify(server.address())))
