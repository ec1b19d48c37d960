import { Writable } from 'node:stream'
import type { Context } from 'koa'
import { AppError, invalid, isAppError } from '../../platform/errors.ts'
import type { FileSink, ReceivedFile } from '../routing/route.ts'
import { refuseEncoding } from './body.ts'

/** Maximum size of the other fields of the form, which are read and ignored. */
const MAX_FIELDS_SIZE = 64 * 1024

const WANTED = 'is required: send one file as multipart/form-data, with a name and a media type'

/**
 * Writes the one file of a multipart request to `sink`, chunk by chunk, waiting for each write. Throws what the sink
 * throws; `unsupported_media` for another kind of body; `invalid` when there is no file, more than one, or no form at
 * all. The caller discards the sink then.
 */
export async function readFile<F extends ReceivedFile>(context: Context, sink: FileSink<F>): Promise<F> {
  refuseEncoding(context.req)
  const isMultipart = context.is('multipart')
  if (isMultipart === false && context.get('content-type') !== '') {
    throw new AppError(
      'unsupported_media',
      `send Content-Type: multipart/form-data, not ${context.get('content-type')}`,
    )
  }
  if (!isMultipart) throw invalid({ file: [WANTED] })

  // Loaded on the first upload.
  const { koaBody } = await import('koa-body')
  let files = 0
  let problem: unknown
  let isOver = false
  let pending: Promise<void> = Promise.resolve()
  const attempt = (work: () => Promise<void>, done: (error?: Error | null) => void) => {
    // The parser goes on with what it has in hand after it has given up.
    if (isOver) return done()
    pending = work().then(
      () => done(),
      (error: unknown) => {
        problem ??= error
        done(error as Error)
      },
    )
  }
  const parse = koaBody({
    multipart: true,
    json: false,
    urlencoded: false,
    text: false,
    formidable: {
      maxFields: 100,
      maxFieldsSize: MAX_FIELDS_SIZE,
      // The sink knows what is too large, and what is empty.
      maxFileSize: Number.MAX_SAFE_INTEGER,
      minFileSize: 0,
      allowEmptyFiles: true,
      filter: () => ++files === 1,
      // The parser takes a part without a media type for a field, also when it has the name of a file.
      onPart(part, parsePart) {
        if (part.originalFilename && !part.mimetype) part.mimetype = UNKNOWN_TYPE
        return parsePart(part)
      },
      fileWriteStreamHandler: (file) => {
        const { originalFilename, mimetype } = file as unknown as PartFile
        return new Writable({
          construct: (done) => attempt(() => sink.begin(originalFilename ?? '', mimetype ?? ''), done),
          write: (chunk: Buffer, _encoding, done) => attempt(() => sink.write(chunk), done),
        })
      },
    },
  })
  try {
    await parse(context, async () => {})
  } catch (error) {
    problem ??= asAnswer(error, context)
  }
  isOver = true
  // The sink may be in the middle of something when the form breaks off.
  await pending
  if (problem !== undefined) {
    // The rest of the body is read and discarded; otherwise the client could not read the answer.
    context.req.resume()
    throw problem
  }
  if (files === 0) throw invalid({ file: [WANTED] })
  if (files > 1) throw invalid({ file: ['was sent more than once: send one file at a time'] })
  return sink.end()
}

/** RFC 7578 section 4.4: a file whose type the sender does not know. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** What formidable reports of a part with a file. */
interface PartFile {
  originalFilename: string | null
  mimetype: string | null
}

/** Errors of the parser: an invalid form, or a client that disconnected. */
function asAnswer(error: unknown, { req }: Context): unknown {
  if (isAppError(error)) return error
  if (req.destroyed && !req.complete) return new AppError('bad_request', 'the request body ended too early')
  const { httpCode } = error as { httpCode?: number }
  if (httpCode === 413)
    return invalid({ '': [`has too many other fields, or more than ${MAX_FIELDS_SIZE} bytes of them`] })
  if (httpCode !== undefined) return invalid({ '': ['is not valid multipart/form-data'] })
  return error
}
