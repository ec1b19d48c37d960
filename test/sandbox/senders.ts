import { createPrivateKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http2, { type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { SignJWT } from 'jose'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts'

/** Plain senders made of Node's own parts, so that the sandbox is tested without our HTTP/2 client. */

export const TOKEN = 'ab'.repeat(32)
export const TOPIC = 'com.example.app'
export const HELLO = { aps: { alert: { title: 'Hello', body: 'World' } } }

export interface Reply {
  status: number
  headers: Record<string, unknown>
  body: string
}

/** The end of a stream when no answer came. */
export interface Broken {
  broken: string
  code: number | undefined
}

const running: { close(): unknown }[] = []

/** A sandbox that `stopAll` closes. */
export async function sandboxWith(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  running.unshift(sandbox)
  return sandbox
}

/** Closes what the test has started, the newest first. */
export async function stopAll(): Promise<void> {
  for (const one of running.splice(0)) await one.close()
}

export interface ConnectOptions {
  /** PKCS#12 client certificate. */
  pfx?: Buffer
  passphrase?: string
}

/** Connects, and waits until the gateway's settings have arrived. */
export async function connect(
  sandbox: Sandbox,
  url: string,
  options: ConnectOptions = {},
): Promise<ClientHttp2Session> {
  const session = http2.connect(url, { ca: sandbox.ca, ...options })
  session.on('error', () => {})
  running.unshift({ close: () => session.destroy() })
  await once(session, 'remoteSettings')
  return session
}

/** Connects to the production host of APNs with the sandbox's certificate. */
export function connectApns(sandbox: Sandbox, url = sandbox.urls.apns): Promise<ClientHttp2Session> {
  const { p12, password } = sandbox.credentials.p12
  return connect(sandbox, url, { pfx: Buffer.from(p12, 'base64'), passphrase: password })
}

/** One request on an open session. Resolves to the reply, or to how the stream broke. */
export function exchange(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: string | Buffer = '',
): Promise<Reply | Broken> {
  return new Promise((resolve) => {
    const stream = session.request(headers)
    let reply: Record<string, unknown> | undefined
    let text = ''
    let ended = false
    stream.on('response', (got) => {
      reply = { ...got }
    })
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    stream.on('end', () => {
      ended = true
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      if (reply && ended && stream.rstCode === 0 && !stream.aborted) {
        resolve({ status: Number(reply[':status']), headers: reply, body: text })
      } else resolve({ broken: text, code: stream.rstCode })
    })
    stream.end(body)
  })
}

/** Does as `exchange`, for where an answer must come. */
export async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: string | Buffer = '',
): Promise<Reply> {
  const reply = await exchange(session, headers, body)
  if ('broken' in reply) throw new Error(`no answer: ${JSON.stringify(reply)}`)
  return reply
}

export function apnsHeaders(headers: OutgoingHttpHeaders = {}, token = TOKEN): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': `/3/device/${token}`,
    'apns-topic': TOPIC,
    'apns-push-type': 'alert',
    ...headers,
  }
}

/** An alert for APNs. */
export function push(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders = {},
  payload: unknown = HELLO,
  token = TOKEN,
) {
  return ask(session, apnsHeaders(headers, token), JSON.stringify(payload))
}

/** A payload as appsvc makes it for APNs. */
export function payloadOf(id: number): object {
  return { ...HELLO, custom: { a: { 'k.message': { type: 1, data: { id } } } } }
}

/** A provider token; `change` replaces parts of it. */
export function providerToken(
  sandbox: Sandbox,
  change: { iat?: number; iss?: string; kid?: string; key?: string } = {},
): Promise<string> {
  const { p8, keyId, teamId } = sandbox.credentials.p8
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: change.kid ?? keyId })
    .setIssuer(change.iss ?? teamId)
    .setIssuedAt(change.iat ?? Math.floor(Date.now() / 1000))
    .sign(createPrivateKey(change.key ?? p8))
}

/** The form of the OAuth token call; `change` replaces claims. */
export async function tokenForm(sandbox: Sandbox, change: Record<string, unknown> = {}, key?: string): Promise<string> {
  const { clientEmail, privateKey, privateKeyId, tokenUri } = sandbox.credentials.serviceAccount
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: clientEmail,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: tokenUri,
    iat: now,
    exp: now + 3600,
    ...change,
  }
  const assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: privateKeyId })
    .sign(createPrivateKey(key ?? privateKey))
  return new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString()
}

/** The token call over HTTP/2. */
export function askToken(session: ClientHttp2Session, form: string): Promise<Reply> {
  return ask(
    session,
    { ':method': 'POST', ':path': '/token', 'content-type': 'application/x-www-form-urlencoded' },
    form,
  )
}

/** Any call over HTTP/1.1. */
export function askHttp1(
  sandbox: Sandbox,
  url: string,
  headers: Record<string, string>,
  body: string | Buffer,
  method = 'POST',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { method, ca: sandbox.ca, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

export interface FcmSender {
  session: ClientHttp2Session
  authorization: string
  /** Sends `message`, with further fields of the body beside it. */
  send(message: unknown, beside?: object): Promise<Reply>
  sendRaw(body: string | Buffer, headers?: OutgoingHttpHeaders): Promise<Reply>
}

/** A connection to FCM with an access token. */
export async function connectFcm(sandbox: Sandbox): Promise<FcmSender> {
  const session = await connect(sandbox, sandbox.urls.fcm)
  const granted = await askToken(session, await tokenForm(sandbox))
  const { access_token } = JSON.parse(granted.body) as { access_token: string }
  const authorization = `Bearer ${access_token}`
  const sendRaw = (body: string | Buffer, headers: OutgoingHttpHeaders = {}) =>
    ask(session, { ...fcmHeaders(sandbox, authorization), ...headers }, body)
  return {
    session,
    authorization,
    sendRaw,
    send: (message, beside = {}) => sendRaw(JSON.stringify({ message, ...beside })),
  }
}

export function fcmHeaders(sandbox: Sandbox, authorization: string): OutgoingHttpHeaders {
  const { projectId } = sandbox.credentials.serviceAccount
  return {
    ':method': 'POST',
    ':path': `/v1/projects/${projectId}/messages:send`,
    'content-type': 'application/json',
    authorization,
  }
}

/** A registration token that looks like Google's. */
export function registrationToken(): string {
  return `${randomUUID().replaceAll('-', '').slice(0, 22)}:APA91b${randomUUID()}`
}

export function reasonOf(reply: Reply): unknown {
  return (JSON.parse(reply.body) as { reason?: unknown }).reason
}
