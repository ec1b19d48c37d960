import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { Router } from '@koa/router'
import Koa, { type Context } from 'koa'
import readBody from 'raw-body'
import { AppError, ERRORS, isAppError, messageOf } from '../platform/errors.ts'
import { assetPath } from '../platform/files/assets.ts'
import { isPlainObject, parseJsonBytes } from '../platform/json/json.ts'
import { listenOn } from '../platform/net/listen.ts'
import { closedShape, flag, integer, oneOf, parseJson, parseText, shape, text } from '../platform/values/parse.ts'
import { MARK_FILE } from '../present/brand/mark.ts'
import { TOKENS } from '../present/brand/tokens.ts'
import { cardOf } from './card.ts'
import { streamEvents } from './live.ts'
import { parseDevice, parsePlan } from './plan.schema.ts'
import type { Devices } from './stand-in/devices.ts'
import type { Faults } from './stand-in/faults.ts'
import type { Ledger, Received } from './stand-in/ledger.ts'
import { SANDBOX_GATEWAYS, standInEntries } from './stand-ins.ts'
import type { Sandbox } from './types.ts'
import { WEB_SERVICES } from './web/subscriptions.ts'

export interface ControlOptions {
  host: string
  port: number
  /** Host names that the page answers to, besides addresses, `localhost` and names without a dot. */
  names: readonly string[]
  sandbox: Omit<Sandbox, 'close'>
  ledger: Ledger
  devices: Devices
  faults(): Faults
}

export interface Control {
  port: number
  close(): Promise<void>
}

const MAX_PLAN = '32mb'
const ASSETS = ['sandbox.css', 'frames.css', 'sandbox.js', 'json.js']
/** Files of the page that all pages of the product share. */
const SHARED_ASSETS = { 'tokens.css': TOKENS, 'favicon.svg': MARK_FILE }
/** Allows pictures from anywhere and nothing else, so that no text of a message can become script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: http:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const messagesQuery = shape({
  token: text({ max: 4096 }),
  notification: text({ max: 100 }),
  gateway: oneOf(SANDBOX_GATEWAYS),
  taken: flag(),
  before: integer({ min: 0 }),
  after: integer({ min: 0 }),
  limit: integer({ min: 1, max: 1000 }),
})

/** The body of a browser's subscription. */
const subscriptionWish = closedShape({
  publicKey: text({ max: 200 }).matches(/^[\w-]{86,88}=*$/, 'must be the VAPID public key in base64url'),
  service: oneOf(WEB_SERVICES),
  host: text({ max: 255 }).matches(/^[\w.:[\]-]+$/, 'must be a host name'),
  expirationTime: integer({ min: 0 }),
}).required()

/**
 * The page that shows what arrived, and the JSON API that scripts use. It has no authentication: keep it on loopback.
 * It refuses unknown host names, so that a website cannot reach it through DNS rebinding.
 */
export async function startControl(options: ControlOptions): Promise<Control> {
  const { host, port, names, ledger, devices } = options
  const present = (message: Received) => {
    const device = devices.find(message.gateway, message.token)?.name
    return { ...message, card: cardOf(message), ...(device !== undefined && { device }) }
  }
  const live = streamEvents(ledger, present)
  const router = new Router()
  routeFiles(router, options)
  routeMessages(router, options, present)
  routeTokens(router, options, present)
  routePlan(router, options)
  router.get('/events', (ctx) => {
    ctx.type = 'text/event-stream'
    ctx.set('cache-control', 'no-store')
    ctx.body = live.open()
  })

  const handle = application(router, [host, ...names]).callback()
  const server = createServer((request, response) => void handle(request, response))
  const address = await listenOn(server, host, port, 'choose another with --port')
  return {
    port: address.port,
    close() {
      live.close()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

/** The page, and what a server needs to send to this sandbox. */
function routeFiles(router: Router, { sandbox }: ControlOptions): void {
  const sendFile = (file: string) => async (ctx: Context) => {
    ctx.type = file.slice(file.lastIndexOf('.'))
    ctx.body = await readFile(join(assetPath('sandbox/page'), file))
  }
  router.get('/', sendFile('index.html'))
  for (const file of ASSETS) router.get(`/${file}`, sendFile(file))
  for (const [file, text] of Object.entries(SHARED_ASSETS)) {
    router.get(`/${file}`, (ctx) => {
      ctx.type = file.slice(file.lastIndexOf('.'))
      ctx.body = text
    })
  }

  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' }
  })
  router.get('/ca.pem', (ctx) => {
    ctx.type = 'application/x-pem-file'
    ctx.body = sandbox.ca
  })
  router.get('/credentials', (ctx) => {
    const { credentials, blocks, urls, environment } = sandbox
    ctx.body = { ...credentials, blocks, urls, environment }
  })

  /** Labels and commands of the stand-ins that run from their declaration. */
  router.get('/stand-ins', (ctx) => {
    ctx.body = Object.fromEntries(
      standInEntries.map(([name, { page, setFlags }]) => {
        const flags = setFlags(sandbox.credentials[name], (file) => file)
        return [name, { ...page, command: `appsvc gateways set --app APP ${name} ${flags}` }]
      }),
    )
  })
}

type Present = (message: Received) => object

/** The messages that arrived. */
function routeMessages(router: Router, { sandbox, ledger }: ControlOptions, present: Present): void {
  router.get('/messages', (ctx) => {
    const query = parseText(messagesQuery, { ...ctx.query })
    const limit = query?.limit ?? 50
    const found = ledger.list({
      token: query?.token ?? undefined,
      notificationId: query?.notification ?? undefined,
      gateway: query?.gateway ?? undefined,
      taken: query?.taken ?? undefined,
      beforeSeq: query?.before ?? undefined,
      afterSeq: query?.after ?? undefined,
      limit,
    })
    ctx.body = { messages: found.map(present), next: found.length === limit ? (found.at(-1)?.seq ?? null) : null }
  })
  router.delete('/messages', (ctx) => {
    sandbox.reset()
    ctx.status = 204
  })
  router.get('/counts', (ctx) => {
    ctx.body = sandbox.counts()
  })
}

/** The devices, by their push tokens. */
function routeTokens(router: Router, { sandbox, ledger, devices }: ControlOptions, present: Present): void {
  router.get('/tokens/:token', (ctx) => {
    const token = ctx.params['token']!
    ctx.body = {
      token,
      taken: ledger.countOf(token),
      declared: devices.about(token),
      messages: ledger.list({ token }).map(present),
    }
  })
  router.put('/tokens/:token', async (ctx) => {
    const body = await readJson(ctx)
    if (!isPlainObject(body)) throw new AppError('invalid', 'the body must be an object')
    const device = parseDevice({ ...body, token: ctx.params['token'] })
    sandbox.declareDevice(device)
    ctx.body = device
  })
  router.delete('/tokens/:token', (ctx) => {
    if (!devices.forget(ctx.params['token']!)) throw new AppError('not_found', 'this token was not declared')
    ctx.status = 204
  })
  router.post('/subscriptions', async (ctx) => {
    const wish = parseJson(subscriptionWish, (await readJson(ctx)) ?? {})
    ctx.status = 201
    ctx.body = sandbox.subscribe(wish)
  })
}

/** The plan of faults. */
function routePlan(router: Router, { sandbox, faults }: ControlOptions): void {
  router.get('/plan', (ctx) => {
    ctx.body = { plan: sandbox.plan(), rules: faults().report() }
  })
  router.put('/plan', async (ctx) => {
    await sandbox.setPlan(parsePlan(await readJson(ctx)))
    ctx.body = { plan: sandbox.plan(), rules: faults().report() }
  })
}

/** The routes behind the check of the host name, with the headers and errors that they share. */
function application(router: Router, names: readonly string[]): Koa {
  const app = new Koa()
  // Silences broken connections of event streams; the middleware below handles all other errors.
  app.silent = true
  app.use(async (ctx, next) => {
    ctx.set({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    try {
      checkHost(ctx.hostname, names)
      await next()
      if (ctx.status === 404 && (ctx.body === null || ctx.body === undefined))
        throw new AppError('not_found', `there is no ${ctx.path} here`)
    } catch (error) {
      ctx.status = statusOf(error)
      const details = isAppError(error) ? error.details : {}
      ctx.body = { error: messageOf(error), ...(details.fields && { fields: details.fields }) }
    }
  })
  app.use(router.routes()).use(router.allowedMethods())
  return app
}

/**
 * Throws `forbidden` for a name that anybody could point to this machine. Names without a dot do not exist on the
 * internet.
 */
function checkHost(asked: string, names: readonly string[]): void {
  const name = asked.toLowerCase().replace(/^\[|\]$/g, '')
  if (isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost') || names.includes(name)) return
  throw new AppError('forbidden', `the sandbox does not answer to the name ${name}: use an address or localhost`)
}

async function readJson(ctx: Context): Promise<unknown> {
  if (!ctx.is('json')) throw new AppError('unsupported_media', 'send JSON, with content-type: application/json')
  try {
    return parseJsonBytes(await readBody(ctx.req, { limit: MAX_PLAN }))
  } catch (error) {
    if (isAppError(error)) throw error
    throw new AppError('too_large', `cannot read the body: ${messageOf(error)}`)
  }
}

function statusOf(error: unknown): number {
  return isAppError(error) ? ERRORS[error.code].http : 500
}
