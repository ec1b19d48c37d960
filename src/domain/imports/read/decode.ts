import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError, messageOf } from '../../../platform/errors.ts'
import { isUtf16, refusedUtf16 } from '../../../platform/text/text-files.ts'

const GZIP = Buffer.from([0x1f, 0x8b])
const ZIP = Buffer.from('PK\x03\x04')
/** Bytes that are unpacked at a time: a row that comes in many pieces is looked at from its beginning with each of them. */
const UNPACKED_AT_ONCE = 256 * 1024

/**
 * The bytes of an export, unpacked if they are gzip (OneSignal hands out `.csv.gz`). Throws `bad_request` with the
 * remedy for UTF-16, for a zip archive or a spreadsheet, and for a damaged gzip file. However it ends, the file is closed.
 */
export async function* decodeExport(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    yield* decoded(source)
  } finally {
    await source.return?.()
  }
}

async function* decoded(source: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  const { first, all } = await peek(source)
  if (first.subarray(0, 2).equals(GZIP)) return yield* gunzip(all)
  if (first.subarray(0, 4).equals(ZIP)) {
    throw new AppError(
      'bad_request',
      'the file is a zip archive or a spreadsheet: unpack it, or save it as "CSV UTF-8"',
    )
  }
  yield* refuseUtf16(all)
}

async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const packed = Readable.from(chunks, { objectMode: false })
  const unpacked = createGunzip({ chunkSize: UNPACKED_AT_ONCE })
  // pipe() does not pass errors on.
  packed.on('error', (error) => unpacked.destroy(error))
  try {
    yield* refuseUtf16(packed.pipe(unpacked) as AsyncIterable<Buffer>)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string' || !code.startsWith('Z_')) throw error
    throw new AppError(
      'bad_request',
      `the gzip file is damaged or not complete (${messageOf(error)}): download it again`,
    )
  } finally {
    packed.destroy()
    unpacked.destroy()
  }
}

/** Looks at the first bytes, which a chunk of any size may hold. The caller ends the source. */
async function peek(source: AsyncIterator<Uint8Array>): Promise<{ first: Buffer; all: AsyncGenerator<Buffer> }> {
  const taken: Buffer[] = []
  let size = 0
  while (size < 4) {
    const next = await source.next()
    if (next.done) break
    taken.push(asBuffer(next.value))
    size += next.value.length
  }
  const all = (async function* () {
    yield* taken
    for (let next = await source.next(); !next.done; next = await source.next()) yield asBuffer(next.value)
  })()
  return { first: Buffer.concat(taken), all }
}

async function* refuseUtf16(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { first, all } = await peek(chunks[Symbol.asyncIterator]())
  if (isUtf16(first)) throw refusedUtf16()
  yield* all
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
