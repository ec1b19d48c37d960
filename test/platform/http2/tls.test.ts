import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from 'node:http2'
import { createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { expect } from 'chai'
import type { Http2Pool, PoolOptions } from '../../../src/platform/http2/types.ts'
import { type Certificate, type CertificateAuthority, makeCa, makeSelfSigned } from '../../support/certificates.ts'
import { needs } from '../../support/needs.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { BOTH, failureOf, listen, outcomeOf } from './both.ts'

/** `openssl s_server` says `ACCEPT 127.0.0.1:port` once it listens. */
async function acceptingPort(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const port = /^ACCEPT .*:(\d+)$/.exec(line)?.[1]
    if (port) return port
  }
  throw new Error('openssl does not listen')
}

const HOUR_MS = 3_600_000

/** Certificates for both clients: they take longer to make than most tests. */
let made: { ca: CertificateAuthority; good: Certificate } | undefined

function makeOnce() {
  if (made) return made
  const ca = makeCa()
  return (made = { ca, good: ca.issue({ cn: 'localhost' }) })
}

for (const [name, open] of BOTH) {
  describe(`TLS with ${name}`, function () {
    this.timeout(PROGRAMS_MS)
    let ca: CertificateAuthority
    let good: Certificate
    let server: Http2SecureServer | Server | undefined
    let pool: Http2Pool | undefined
    let requests: number
    let shown: string | undefined

    before(() => {
      ;({ ca, good } = makeOnce())
    })

    beforeEach(() => {
      requests = 0
      shown = undefined
    })

    afterEach(async () => {
      await pool?.close()
      pool = undefined
      server?.close()
      server = undefined
    })

    async function serve({ certPem, keyPem }: Certificate, options: SecureServerOptions = {}): Promise<string> {
      const secure = createSecureServer({ cert: certPem, key: keyPem, ...options })
      secure.on('stream', (stream) => {
        requests++
        const socket = stream.session?.socket
        if (socket instanceof TLSSocket) shown = socket.getPeerX509Certificate()?.subject
        stream.respond({ ':status': 200 })
        stream.end('ok')
      })
      secure.on('sessionError', () => {})
      return start(secure)
    }

    async function start(listening: Http2SecureServer | Server): Promise<string> {
      server = listening
      return `https://localhost:${await listen(listening)}`
    }

    const use = (origin: string, options: Partial<PoolOptions> = {}) => {
      pool = open({ origin, ca: [ca.certPem], ...options })
      return pool
    }

    it('a certificate of an added authority is trusted', async () => {
      expect(await outcomeOf(use(await serve(good)))).to.equal('200 ok')
    })

    it('a certificate for the IP address is trusted by address', async () => {
      const origin = await serve(ca.issue({ cn: 'gateway', altNames: ['127.0.0.1'] }))
      expect(await outcomeOf(use(origin.replace('localhost', '127.0.0.1')))).to.equal('200 ok')
    })

    const UNTRUSTED: [what: string, make: () => Certificate, options?: Partial<PoolOptions>][] = [
      ['of an unknown authority', () => good, { ca: [] }],
      ['of another host', () => ca.issue({ cn: 'other.example' })],
      ['that expired', () => ca.issue({ cn: 'localhost', notAfter: new Date(Date.now() - HOUR_MS / 2) })],
      ['that is not valid yet', () => ca.issue({ cn: 'localhost', notBefore: new Date(Date.now() + HOUR_MS) })],
      ['that is self-signed', () => makeSelfSigned({ cn: 'localhost' })],
    ]
    for (const [what, make, options] of UNTRUSTED) {
      it(`a certificate ${what} is untrusted, and no request leaves`, async () => {
        const failure = await failureOf(use(await serve(make()), options))
        expect(failure.kind).to.equal('untrusted')
        expect(failure.message).to.match(/certificate of localhost:\d+ is not valid: /)
        expect(requests).to.equal(0)
        expect((await failureOf(pool!)).message).to.match(/next attempt in/)
      })
    }

    it('verification stays on when the environment asks for none', async () => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
      try {
        expect(await outcomeOf(use(await serve(makeSelfSigned({ cn: 'localhost' }))))).to.equal('untrusted')
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      }
    })

    it('our certificate is shown', async () => {
      const own = ca.issue({ cn: 'com.example.app' })
      const origin = await serve(good, { requestCert: true, rejectUnauthorized: true, ca: [ca.certPem] })
      expect(await outcomeOf(use(origin, { cert: own.certPem, key: own.keyPem }))).to.equal('200 ok')
      expect(shown).to.equal('CN=com.example.app')
    })

    it('a certificate and a key that do not belong together are refused at once', () => {
      const [one, other] = [ca.issue({ cn: 'a' }), ca.issue({ cn: 'b' })]
      expect(() => use('https://localhost', { cert: one.certPem, key: other.keyPem })).to.throw('cannot be used')
      expect(() => use('https://localhost', { cert: 'nonsense', key: 'nonsense' })).to.throw('cannot be used')
    })

    it('a TLS 1.3 server that wants a certificate and gets none has rejected us', async () => {
      const origin = await serve(good, { requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' })
      const failure = await failureOf(use(origin))
      expect(failure.kind).to.equal('rejected')
      expect(failure.message).to.match(/refused our certificate/)
      expect(requests).to.equal(0)
    })

    it('a certificate of ours that a TLS 1.3 server does not know is rejected after the handshake', async function () {
      const openssl = needs(this, 'openssl')
      const directory = mkdtempSync(join(tmpdir(), 'rejected-'))
      const file = (name: string, content: string) => {
        writeFileSync(join(directory, name), content)
        return join(directory, name)
      }
      // Node's server just hangs up on such a client; OpenSSL says why.
      const identity = ['-cert', file('cert.pem', good.certPem), '-key', file('key.pem', good.keyPem)]
      const verify = ['-CAfile', file('ca.pem', ca.certPem), '-Verify', '1', '-verify_return_error']
      const child = spawn(openssl, ['s_server', '-accept', '127.0.0.1:0', '-alpn', 'h2', ...identity, ...verify])
      try {
        const port = await acceptingPort(child.stdout)
        const stranger = makeCa('Stranger').issue({ cn: 'com.example.app' })
        const failure = await failureOf(
          use(`https://localhost:${port}`, { cert: stranger.certPem, key: stranger.keyPem }),
        )
        expect(failure.kind).to.equal('rejected')
        expect(failure.message).to.match(/refused our certificate/)
      } finally {
        if (child.kill()) await once(child, 'exit')
        rmSync(directory, { recursive: true })
      }
    })

    it('an alert about our certificate inside the handshake is a rejection', async () => {
      const alerting = createTcpServer((socket) => {
        // A TLS 1.2 record: alert, fatal, bad_certificate.
        socket.once('data', () => socket.end(Buffer.from('1503030002022a', 'hex')))
        socket.on('error', () => {})
      })
      expect(await outcomeOf(use(await start(alerting)))).to.equal('rejected')
    })

    it('a TLS 1.1 server is not spoken to', async () => {
      const alerting = createTcpServer((socket) => {
        socket.once('data', () => socket.end(Buffer.from('15030200020246', 'hex')))
        socket.on('error', () => {})
      })
      expect(await outcomeOf(use(await start(alerting)))).to.equal('unreachable')
    })

    it('a server without HTTP/2 is unreachable', async () => {
      const plain = createTlsServer({ cert: good.certPem, key: good.keyPem }, (socket) => {
        socket.on('error', () => {})
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      })
      const failure = await failureOf(use(await start(plain)))
      expect(failure.kind).to.equal('unreachable')
      expect(failure.message).to.match(/HTTP\/2/)
    })

    it('a handshake that is cut is unreachable', async () => {
      const cutting = createTcpServer((socket) => {
        socket.once('data', () => socket.destroy())
        socket.on('error', () => {})
      })
      expect(await outcomeOf(use(await start(cutting)))).to.equal('unreachable')
    })

    it('a handshake that hangs ends with the connect time-out, for all that wait', async () => {
      const silent = createTcpServer((socket) => socket.on('error', () => {}).resume())
      use(await start(silent), { connectTimeoutMs: 100 })
      const kinds = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(pool!)))
      expect(kinds).to.deep.equal(Array(10).fill('unreachable'))
      expect((await failureOf(pool!)).message).to.match(/did not answer within 100 ms/)
    })

    it('close does not wait for a handshake that hangs', async () => {
      const connected = Promise.withResolvers<void>()
      const silent = createTcpServer((socket) => {
        socket.on('error', () => {}).resume()
        connected.resolve()
      })
      use(await start(silent))
      const outcome = outcomeOf(pool!)
      await connected.promise
      await pool!.close()
      expect(await outcome).to.equal('not_processed')
    })
  })
}
