import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Kinds of request. */
type S3Call = 'list' | 'uploads' | 'head' | 'get' | 'put' | 'delete' | 'create' | 'part' | 'complete' | 'abort'

/** A request that goes wrong: an answer of the store, a connection cut before the answer, or in the middle of what is read. */
type S3Fault = { call: S3Call; times?: number /** Requests of the kind that still go well. */; skip?: number } & (
  | { status: number; code: string }
  | { cut: 'before' | 'middle' }
)

export interface S3StandIn {
  url: string
  /** Objects of the bucket by key. */
  objects: Map<string, Buffer>
  /** Every request since the start. */
  calls: S3Call[]
  /** Uploads in parts that were neither completed nor aborted. */
  readonly open: number
  fail(fault: S3Fault): void
  close(): Promise<void>
}

const S3_KEY = 'STANDINKEY'
/** Credentials that the SDK of the process finds. */
export const s3Environment = { AWS_ACCESS_KEY_ID: S3_KEY, AWS_SECRET_ACCESS_KEY: 'stand-in-secret' }
/** Keys of one page of a list, few so that tests need several. */
const PAGE = 2

/** The few calls of S3 that backups make, for one bucket in the path. It checks no signatures. */
export async function startS3({ bucket = 'bucket' } = {}): Promise<S3StandIn> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const keysOf = new Map<string, string>()
  const calls: S3Call[] = []
  const faults: S3Fault[] = []
  let ids = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://localhost')
    const [, name, ...path] = url.pathname.split('/')
    const key = decodeURIComponent(path.join('/'))
    const query = url.searchParams
    const call = callOf(request.method!, key, query)
    calls.push(call)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const at = faults.findIndex((one) => one.call === call)
    const fault = faults[at] && (faults[at].skip ?? 0) > 0 ? void faults[at].skip!-- : faults[at]
    if (fault && (fault.times = (fault.times ?? 1) - 1) === 0) faults.splice(at, 1)
    if (fault && 'status' in fault) return refuse(response, fault.status, fault.code)
    if (fault && 'cut' in fault && fault.cut === 'before') return void request.socket.destroy()
    if (!String(request.headers.authorization).includes(`Credential=${S3_KEY}/`)) {
      return refuse(response, 403, 'InvalidAccessKeyId')
    }
    if (name !== bucket) return refuse(response, 404, 'NoSuchBucket')
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    const parts = uploads.get(query.get('uploadId') ?? '')
    if (call === 'put') {
      objects.set(key, body)
      response.setHeader('ETag', etag).end()
    } else if (call === 'create') {
      const id = `upload-${++ids}`
      uploads.set(id, new Map())
      keysOf.set(id, key)
      response.end(xml('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`))
    } else if (call === 'part') {
      parts!.set(Number(query.get('partNumber')), body)
      response.setHeader('ETag', etag).end()
    } else if (call === 'complete') {
      const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number))
      objects.set(key, Buffer.concat(wanted.map((number) => parts!.get(number)!)))
      uploads.delete(query.get('uploadId')!)
      response.end(xml('CompleteMultipartUploadResult', `<Key>${key}</Key>`))
    } else if (call === 'abort') {
      uploads.delete(query.get('uploadId')!)
      response.writeHead(204).end()
    } else if (call === 'delete') {
      objects.delete(key)
      response.writeHead(204).end()
    } else if (call === 'uploads') {
      const under = [...uploads.keys()].filter((id) => keysOf.get(id)!.startsWith(query.get('prefix') ?? ''))
      const found = under.map((id) => `<Upload><Key>${keysOf.get(id)}</Key><UploadId>${id}</UploadId></Upload>`)
      response.end(xml('ListMultipartUploadsResult', `<IsTruncated>false</IsTruncated>${found.join('')}`))
    } else if (call === 'list') {
      response.end(list(query))
    } else {
      const found = objects.get(key)
      if (!found) return refuse(response, 404, 'NoSuchKey')
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const content = found.subarray(from)
      response.writeHead(from > 0 ? 206 : 200, { 'Content-Length': content.length })
      if (call === 'head') response.end()
      else if (fault) response.write(content.subarray(0, content.length / 2), () => request.socket.destroy())
      else response.end(content)
    }
  }

  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/') && key > after)
      .toSorted()
    const page = keys.slice(0, PAGE)
    const next = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
    return xml('ListBucketResult', `<IsTruncated>${next !== ''}</IsTruncated>${next}${contents}`)
  }

  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    calls,
    get open() {
      return uploads.size
    },
    fail: (fault) => void faults.push({ ...fault }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function callOf(method: string, key: string, query: URLSearchParams): S3Call {
  if (method === 'GET' && query.has('uploads')) return 'uploads'
  if (method === 'GET') return key === '' ? 'list' : 'get'
  if (method === 'HEAD') return 'head'
  if (method === 'PUT') return query.has('partNumber') ? 'part' : 'put'
  if (method === 'DELETE') return query.has('uploadId') ? 'abort' : 'delete'
  return query.has('uploads') ? 'create' : 'complete'
}

const xml = (root: string, content: string) => `<?xml version="1.0" encoding="UTF-8"?><${root}>${content}</${root}>`

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' })
  response.end(xml('Error', `<Code>${code}</Code><Message>the stand-in says ${code}</Message>`))
}
