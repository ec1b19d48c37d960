import { generateKeyPairSync } from 'node:crypto'
import http2 from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import forge from 'node-forge'
import type { GatewaySettings, PushMessage } from '../../../src/domain/gateways/gateway.ts'
import { findGateway, gateways, platforms } from '../../../src/domain/gateways/registry.ts'
import { makeCertificate, makeP12, rsaPem, STANDARD } from './apns/certificates.ts'

/** From an uploaded credential to the vendor's door and back, over real TLS and real HTTP/2. */

const server = serverCertificate()
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function listen(listener: Server): Promise<string> {
  const sockets = new Set<Socket>()
  listener.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  stops.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => listener.close(resolve))
  })
  return `https://localhost:${(listener.address() as AddressInfo).port}`
}

interface Seen {
  headers: http2.IncomingHttpHeaders
  body: string
  client: unknown
}

function vendor(options: http2.SecureServerOptions, answer: (seen: Seen) => [number, unknown]) {
  const seen: Seen[] = []
  const listener = http2.createSecureServer({ ...server, ...options }, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const socket = request.stream.session!.socket as TLSSocket
      const subject = new Map<string, unknown>(Object.entries(socket.getPeerCertificate().subject ?? {}))
      const one = { headers: request.headers, body, client: subject.get('UID') }
      seen.push(one)
      const [status, reply] = answer(one)
      response.writeHead(status, { 'apns-id': 'ID' }).end(reply === undefined ? '' : JSON.stringify(reply))
    })
  })
  return { listener, seen }
}

const settings = (change: Partial<GatewaySettings>): GatewaySettings => ({
  apnsUrl: 'https://localhost:1',
  apnsSandboxUrl: 'https://localhost:1',
  fcmUrl: 'https://localhost:1',
  fcmTokenUrl: 'https://localhost:1',
  hcmUrl: '',
  hcmTokenUrl: '',
  allowPrivate: false,
  ca: [server.cert],
  ...change,
})

const MESSAGE: PushMessage = {
  content: { notificationId: 5, title: 'T', message: 'M', background: false, ios: {}, android: {} },
  expiresAt: Date.now() + 3_600_000,
  replacementKey: 'r5',
}

async function checked(platform: 'ios' | 'android', block: unknown) {
  const result = await gateways[platform].check(block, Date.now())
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  // What is stored went through JSON.
  return JSON.parse(JSON.stringify(result.credential)) as typeof result.credential
}

describe('a configured gateway', () => {
  it('reaches APNs with the certificate of an uploaded p12', async () => {
    const lasting = { ...STANDARD, notBefore: Date.now() - 86_400_000, notAfter: Date.now() + 86_400_000 }
    const p12 = makeP12({ certificate: makeCertificate(lasting), algorithm: '3des' })
    const { listener, seen } = vendor({ requestCert: true, rejectUnauthorized: false }, () => [200, undefined])
    const credential = await checked('ios', { p12, password: 'secret', mode: 'production' })
    const sender = await gateways.ios.open(credential, settings({ apnsUrl: await listen(listener) }), Date.now)
    stops.push(() => sender.close())
    const outcome = await sender.send(sender.prepare(MESSAGE), { token: 'AABB' })
    expect(outcome).to.deep.equal({ kind: 'accepted', providerId: 'ID' })
    expect(seen[0]!.client).to.equal('com.example.app')
    expect(seen[0]!.headers).to.include({
      ':path': '/3/device/aabb',
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
    })
    expect(JSON.parse(seen[0]!.body)).to.have.nested.property('custom.i', '5')
  })

  it('reaches APNs with an uploaded key and reads refusals', async () => {
    const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
    const { listener, seen } = vendor({}, ({ headers }) =>
      headers[':path'] === '/3/device/dead'
        ? [410, { reason: 'Unregistered', timestamp: 1_700_000_000_000 }]
        : [200, undefined],
    )
    const block = {
      p8: p8.toString(),
      keyId: 'WIRE123456',
      teamId: 'TEAM123456',
      topic: 'com.example.app',
      mode: 'sandbox',
    }
    const url = await listen(listener)
    const sender = await gateways.ios.open(await checked('ios', block), settings({ apnsSandboxUrl: url }), Date.now)
    stops.push(() => sender.close())
    const prepared = sender.prepare(MESSAGE)
    const outcomes = await Promise.all(['aa', 'dead', 'bb'].map((token) => sender.send(prepared, { token })))
    expect(outcomes.map((one) => one.kind)).to.deep.equal(['accepted', 'token_dead', 'accepted'])
    expect(outcomes[1]).to.include({ since: 1_700_000_000_000 })
    expect(seen[0]!.headers['authorization']).to.match(/^bearer /)
    expect(seen[2]!.headers['authorization']).to.equal(seen[0]!.headers['authorization'])

    const ios = { subtitle: 'S', priority: 5 as const, sound: { critical: true as const } }
    await sender.send(sender.prepare({ ...MESSAGE, content: { ...MESSAGE.content, ios } }), { token: 'cc' })
    expect(seen[3]!.headers['apns-priority']).to.equal('5')
    expect((JSON.parse(seen[3]!.body) as { aps: object }).aps).to.deep.include({
      alert: { title: 'T', subtitle: 'S', body: 'M' },
      sound: { critical: 1, name: 'default' },
    })
  })

  it('reaches FCM with an access token of the token server', async () => {
    const tokenServer = https.createServer(server, (_, response) => {
      response.end(JSON.stringify({ access_token: 'granted', expires_in: 3599 }))
    })
    const { listener, seen } = vendor({}, () => [200, { name: 'projects/p/messages/9' }])
    const serviceAccount = { projectId: 'p', privateKey: rsaPem, clientEmail: 'push@example.com' }
    const places = settings({ fcmUrl: await listen(listener), fcmTokenUrl: await listen(tokenServer) })
    const sender = await gateways.android.open(await checked('android', { serviceAccount }), places, Date.now)
    stops.push(() => sender.close())
    const prepared = sender.prepare(MESSAGE)
    const outcomes = await Promise.all(['a', 'b'].map((token) => sender.send(prepared, { token })))
    expect(outcomes).to.deep.equal(
      Array.from({ length: 2 }, () => ({ kind: 'accepted', providerId: 'projects/p/messages/9' })),
    )
    expect(seen[0]!.headers).to.include({ ':path': '/v1/projects/p/messages:send', authorization: 'Bearer granted' })
    expect(JSON.parse(seen[0]!.body)).to.have.nested.property('message.data.title', 'T')
  })

  it('does not talk to a vendor whose certificate nobody vouches for', async () => {
    const { listener, seen } = vendor({}, () => [200, undefined])
    const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
    const block = { p8: p8.toString(), keyId: 'WIRE654321', teamId: 'TEAM123456', topic: 'a.b', mode: 'production' }
    const places = settings({ apnsUrl: await listen(listener), ca: [] })
    const sender = await gateways.ios.open(await checked('ios', block), places, Date.now)
    stops.push(() => sender.close())
    expect((await sender.send(sender.prepare(MESSAGE), { token: 'aa' })).kind).to.equal('config_error')
    expect(seen).to.deep.equal([])
  })
})

describe('the registry', () => {
  it('knows each gateway by its platform', () => {
    for (const platform of platforms) expect(findGateway(platform).platform).to.equal(platform)
  })
})

function serverCertificate(): { key: string; cert: string } {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = pair.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString()
  const made = forge.pki.createCertificate()
  made.publicKey = forge.pki.publicKeyFromPem(pair.publicKey.export({ format: 'pem', type: 'spki' }).toString())
  made.serialNumber = '02'
  made.validity.notBefore = new Date(Date.now() - 86_400_000)
  made.validity.notAfter = new Date(Date.now() + 86_400_000)
  const name = [{ name: 'commonName', value: 'localhost' }]
  made.setSubject(name)
  made.setIssuer(name)
  made.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ])
  made.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create())
  return { key, cert: forge.pki.certificateToPem(made) }
}
