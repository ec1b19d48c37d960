import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCa } from '../../test/support/certificates.ts'
import { startNghttpd } from '../../test/support/nghttpd.ts'

const PROJECT = 'bench'
/** As FCM: streams per connection. */
const STREAMS = 100

/** A stand-in of FCM that accepts everything: nghttpd, which is written in C, so it is not what limits the sender. */
export interface FcmReceiver {
  serviceAccount: unknown
  /** Settings of the server that sends to it. */
  environment: Record<string, string>
  fcmUrl: string
  tokenUrl: string
  caPem: string
  stop(): Promise<void>
}

/** Starts nghttpd on a file that reads as FCM's answer, and a server that grants access tokens. */
export async function startFcmReceiver(): Promise<FcmReceiver> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-fcm-'))
  const ca = makeCa()
  const { certPem, keyPem } = ca.issue({ cn: 'localhost' })
  const file = (name: string, text: string) => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
  const [cert, key, caFile] = [file('cert.pem', certPem), file('key.pem', keyPem), file('ca.pem', ca.certPem)]
  const folder = join(dir, 'root/v1/projects', PROJECT)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'messages:send'), `{"name":"projects/${PROJECT}/messages/0:1700000000000000%0"}`)
  const nghttpd = await startNghttpd(['-m', String(STREAMS), '-d', join(dir, 'root')], [key, cert])
  const tokens = await startTokenServer()
  const fcmUrl = `https://localhost:${nghttpd.port}`
  const tokenUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    serviceAccount: {
      projectId: PROJECT,
      clientEmail: 'bench@bench.iam.gserviceaccount.com',
      privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    },
    environment: {
      APPSVC_GATEWAYS_FCM_URL: fcmUrl,
      APPSVC_GATEWAYS_FCM_TOKEN_URL: tokenUrl,
      APPSVC_GATEWAYS_CA_FILE: caFile,
    },
    fcmUrl,
    tokenUrl,
    caPem: ca.certPem,
    async stop() {
      tokens.close()
      tokens.closeAllConnections()
      await nghttpd.stop()
      rmSync(dir, { recursive: true })
    },
  }
}

async function startTokenServer(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: `ya29.${'x'.repeat(200)}`, expires_in: 3599, token_type: 'Bearer' }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
