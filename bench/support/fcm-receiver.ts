import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FileServer, startFileServer } from './file-server.ts'

const PROJECT = 'bench'
/** Streams per connection, as FCM allows. */
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

/** Starts nghttpd on a file that reads as FCM's answer. */
function startAcceptor(): Promise<FileServer> {
  const path = `v1/projects/${PROJECT}/messages:send`
  const answer = `{"name":"projects/${PROJECT}/messages/0:1700000000000000%0"}`
  return startFileServer({ [path]: answer }, STREAMS)
}

/** Starts the server that takes the pushes, nghttpd unless another one is given, and one that grants access tokens. */
export async function startFcmReceiver(startServer = startAcceptor): Promise<FcmReceiver> {
  const { url: fcmUrl, caPem, caFile, stop } = await startServer()
  const tokens = await startTokenServer()
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
    caPem,
    async stop() {
      tokens.close()
      tokens.closeAllConnections()
      await stop()
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
