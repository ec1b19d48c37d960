/**
 * Parse Server with its own PostgreSQL database, in a process of its own: `node parse-server.ts <settings as JSON>`. Prints one line
 * of JSON with its address when it listens.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadPeer } from './peer-packages.ts'

export interface ParseSettings {
  databaseURI: string
  push: object
}

export const PARSE_KEYS = { applicationId: 'bench', masterKey: 'bench-master' }

interface ParseModule {
  ParseServer: new (settings: object) => { start(): Promise<unknown>; app: object }
}

if (import.meta.main) {
  // Standard output is for the address. Parse Server logs there, and on the other one a page for each push that fails.
  const { stdout, stderr } = process
  const print = stdout.write.bind(stdout)
  stdout.write = () => true
  stderr.write = () => true
  const { databaseURI, push } = JSON.parse(process.argv[2]!) as ParseSettings
  const { ParseServer } = await loadPeer<ParseModule>('parse-server')
  const parse = new ParseServer({
    appId: PARSE_KEYS.applicationId,
    masterKey: PARSE_KEYS.masterKey,
    databaseURI,
    push,
    serverURL: 'http://127.0.0.1:1/parse',
    allowClientClassCreation: true,
    masterKeyIps: ['127.0.0.1', '::1'],
    logLevel: 'error',
    silent: true,
    // It would make a folder in the checkout.
    logsFolder: null,
    enableInsecureAuthAdapters: false,
  })
  await parse.start()
  const server = createServer(parse.app as Parameters<typeof createServer>[1] & object)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    print(`${JSON.stringify({ listening: `http://127.0.0.1:${port}` })}\n`)
  })
}
