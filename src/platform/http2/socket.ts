import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext, TLSSocket } from 'node:tls'
import { AppError, messageOf } from '../errors.ts'
import { describeError, type SessionSettings } from './session.ts'
import { Http2Failure, NoHttp2, type PoolOptions } from './types.ts'

/**
 * The time (ms) to wait for the server's first bytes before we send. With TLS 1.3 the server's refusal of our certificate arrives
 * after our side of the handshake is done. If we send while the server closes, the kernel discards that refusal and we only see a
 * reset. Servers send SETTINGS on their own, so this normally costs nothing.
 */
const LISTEN_FIRST_MS = 250

/** Alerts with which a peer refuses a client certificate (RFC 8446 section 6.2), in OpenSSL's spelling. */
const CERTIFICATE_ALERT =
  /ALERT_(NO_CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR)$/

/** Keys and authorities of one pool. Throws `AppError('config')` when they cannot be read. */
export function openContext({ ca = [], cert, key }: Pick<PoolOptions, 'ca' | 'cert' | 'key'>): SecureContext {
  try {
    return createSecureContext({
      minVersion: 'TLSv1.2',
      // Without `ca` Node uses its own list, parsed once for the whole process.
      ...(ca.length === 0 ? {} : { ca: [...getCACertificates('default'), ...ca] }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    })
  } catch (error) {
    throw new AppError('config', `the TLS certificate, key or authorities cannot be used: ${messageOf(error)}`)
  }
}

/**
 * Connects to the origin. With TLS, the peer is verified and has agreed to speak `h2`. Throws `Http2Failure`:
 * `unreachable`, `untrusted` or `rejected`. The socket may hold bytes already. It has a listener for `error`, so look
 * in `socket.errored` for an error from before you added yours.
 */
export async function openSocket(settings: SessionSettings, signal: AbortSignal): Promise<Socket> {
  const { origin, context, lookup } = settings
  const host = origin.hostname.replace(/^\[|\]$/g, '')
  const port = Number(origin.port) || (context ? 443 : 80)
  const address = { host, port, ...(lookup && { lookup }) }
  const socket = context
    ? connectTls({
        ...address,
        secureContext: context,
        ALPNProtocols: ['h2'],
        // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED overrides the default.
        rejectUnauthorized: true,
        ...(isIP(host) ? {} : { servername: host }),
      })
    : connectTcp(address)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 60_000)

  socket.on('error', () => {})

  await new Promise<void>((resolve, reject) => {
    let quiet: NodeJS.Timeout | undefined
    const settle = (error?: unknown) => {
      signal.removeEventListener('abort', aborted)
      socket.off('error', settle).off('close', closed).off('readable', ready).off('connect', ready)
      clearTimeout(quiet)
      if (error === undefined) return resolve()
      socket.destroy()
      reject(classifyConnectError(error, socket, settings))
    }
    const ready = () => settle()
    const aborted = () => settle(signal.reason)
    const closed = () => settle(new Error('the connection was closed during the handshake'))
    signal.addEventListener('abort', aborted, { once: true })
    socket.on('error', settle).on('close', closed)
    if (!(socket instanceof TLSSocket)) {
      socket.on('connect', ready)
      return
    }
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol !== 'h2') return settle(new NoHttp2('the peer does not offer HTTP/2'))
      quiet = setTimeout(ready, LISTEN_FIRST_MS)
      socket.on('readable', ready)
    })
  })
  return socket
}

function classifyConnectError(error: unknown, socket: Socket, settings: SessionSettings): Http2Failure {
  if (error instanceof Http2Failure) return error
  const { origin } = settings
  const cause = { cause: error }
  // Its type says that it is always set, but it is null unless verification failed.
  const refusal: unknown = socket instanceof TLSSocket ? socket.authorizationError : undefined
  if (refusal) {
    return new Http2Failure(
      'untrusted',
      `the certificate of ${origin.host} is not valid: ${describeError(error)}`,
      cause,
    )
  }
  if (isCertificateRefusal(error, settings.hasCertificate)) {
    return new Http2Failure('rejected', `${origin.host} refused our certificate: ${describeError(error)}`, cause)
  }
  const why = { cause: isProtocolRefusal(error) ? new NoHttp2(describeError(error), cause) : error }
  return new Http2Failure('unreachable', `cannot connect to ${origin.host}: ${describeError(error)}`, why)
}

/** Tells whether the peer knows ALPN but not HTTP/2 (RFC 7301: `no_application_protocol`). */
function isProtocolRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).endsWith('ALERT_NO_APPLICATION_PROTOCOL')
}

/**
 * True for an alert about our client certificate. TLS 1.2 servers use `handshake_failure` for several problems; if we
 * presented a certificate, we assume that they mean it.
 */
export function isCertificateRefusal(error: unknown, hasCertificate: boolean): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  if (CERTIFICATE_ALERT.test(error.code)) return true
  return hasCertificate && error.code.endsWith('ALERT_HANDSHAKE_FAILURE')
}
