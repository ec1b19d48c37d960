import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import getRawBody from 'raw-body'
import { AppError } from '../../platform/errors.ts'
import { type ReadJson, readJsonBytes } from '../../platform/json/json.ts'
import type { AsText } from '../../platform/json/numbers.ts'
import { isForm, readForm } from './form.ts'

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/**
 * Reads a JSON body of at most `limit` bytes. Compressed bodies, and bodies of another or no media type, are 415.
 * With `anyType` any type is accepted: device SDKs send various ones, and old SDKs send forms. Too many bytes are
 * 413, invalid JSON is 422 with the key `''`. `size` is in bytes; `unkept` are the numbers that the caller has to
 * refuse, or that are texts because of `asText`.
 */
export async function readJson(
  request: IncomingMessage,
  limit: number,
  { anyType, asText, ...reading }: { anyType: boolean; asText?: AsText | undefined } & Reading,
): Promise<ReadJson & { size: number }> {
  refuseEncoding(request)
  const type = request.headers['content-type']
  // Other websites can make a browser send text, forms and untyped bodies without a CORS preflight. JSON needs one.
  if (!anyType && (type === undefined ? hasBody(request) : !JSON_TYPE.test(type))) {
    throw new AppError(
      'unsupported_media',
      `send the body with Content-Type: application/json${type === undefined ? '' : `, not ${type}`}`,
    )
  }
  const bytes = await readBytes(request, limit, reading)
  const read = anyType && isForm(type, bytes) ? { value: readForm(bytes), unkept: [] } : readJsonBytes(bytes, asText)
  return { ...read, size: bytes.length }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Throws `unsupported_media` for a compressed body: a small one could expand to gigabytes. */
export function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media', `send the body as it is: Content-Encoding ${encoding} is not accepted`)
  }
}

/** Hears how many bytes of a body were taken in, before anybody looks at them: also of one that is refused or breaks off. */
type OnRead = (bytes: number) => void

interface Reading {
  onRead?: OnRead | undefined
  /** Whoever sends it has no key, or the one that is in every copy of an app: a body in crumbs is cut off. */
  isStranger?: boolean | undefined
}

/** Pieces of a body that may be smaller on average than `CRUMB` bytes. */
const MOST_CRUMBS = 256
const CRUMB = 64

/**
 * Cuts a connection off whose body comes in crumbs: each piece costs as much as a kilobyte, and a chunk of one byte takes six to send. SDKs
 * send their bodies whole.
 */
function cutCrumbs(request: IncomingMessage): void {
  let pieces = 0
  let bytes = 0
  request.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (++pieces > MOST_CRUMBS && bytes < pieces * CRUMB) request.destroy()
  })
}

/** A body of at most `limit` bytes as it was sent. Throws `too_large`, and `bad_request` when it breaks off. */
export async function readBytes(
  request: IncomingMessage,
  limit: number,
  { onRead, isStranger = false }: Reading = {},
): Promise<Buffer> {
  const here = await wholeBody(request, limit)
  if (here) {
    onRead?.(here.length)
    return here
  }
  if (isStranger) cutCrumbs(request)
  try {
    const bytes = await getRawBody(request, { limit, length: request.headers['content-length'] ?? null })
    onRead?.(bytes.length)
    return bytes
  } catch (error) {
    const { type, received = 0 } = error as { type?: string; received?: number }
    if (type === 'entity.too.large') {
      // At most the limit: what a caller says that it is going to send must not use up what belongs to others.
      onRead?.(limit)
      // Closing now would reset the connection under a client that is still sending, and it would never see the
      // answer. The server's time limit for a whole request bounds what comes.
      request.resume()
      throw new AppError('too_large', `the body is larger than ${limit} bytes: send less at once`)
    }
    onRead?.(received)
    throw new AppError('bad_request', 'the request body ended too early')
  }
}

/** Bytes. Longer bodies seldom arrive together with their head. */
const SHORT = 16_384

/**
 * A short body that arrives together with its head, as most do. Node hands it over when the event loop turns. Taking
 * it at once saves the listeners that wait for the rest.
 */
async function wholeBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const length = Number(request.headers['content-length'] ?? 0)
  if (!(length > 0 && length <= SHORT && length <= limit)) return undefined
  if (!request.complete) await setImmediate()
  const isHere = request.complete && !request.destroyed && request.readableFlowing === null
  return isHere && request.readableLength === length ? (request.read() as Buffer) : undefined
}
