import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { AppError, messageOf } from '../errors.ts'

// Only this file knows the SDK, and it is imported when a backup goes to S3 or comes from it: loading the SDK takes longer than many commands.
// In the bundle it is a file of its own, so that threads do not keep its source text (packaging/bundle.ts).

export interface S3Options {
  /** Address of the store; empty: Amazon, or the address that the environment names. */
  endpoint: string
  /**
   * Region; empty: the one from the environment or the files of the SDK, or `us-east-1` with an endpoint, where most servers
   * ignore it.
   */
  region: string
  pathStyle: boolean
  bucket: string
}

/** Reads a range of what is uploaded. */
export type ReadRange = (start: number, bytes: number) => Promise<Buffer>

/** Objects of one bucket. Every function throws an `AppError` that names the remedy. */
export interface S3 {
  putText(key: string, text: string): Promise<void>
  /** Uploads in parts of at least 16 MiB, one at a time; an upload that fails leaves nothing. Compares the size afterwards. */
  putLarge(key: string, size: number, read: ReadRange, signal?: AbortSignal): Promise<void>
  /** Size in bytes; undefined when there is no such object. */
  sizeOf(key: string): Promise<number | undefined>
  getText(key: string): Promise<string | undefined>
  /** The bytes from `start` on. The stream can break off. */
  get(key: string, start: number, signal?: AbortSignal): Promise<AsyncIterable<Buffer>>
  /** Keys that begin with the prefix and have no further `/`. */
  keys(prefix: string): Promise<string[]>
  remove(key: string): Promise<void>
  /** Ends uploads in parts of this key that were neither completed nor ended. */
  abortUploads(key: string): Promise<void>
}

/** S3 takes at most 10 000 parts. */
const MAX_PARTS = 9000
const PART_BYTES = 16 * 1024 * 1024
/** Requests that fail for a reason of the network or the server are repeated by the SDK, with a growing pause. */
const ATTEMPTS = 5
/** A small text that is larger is not ours. */
const MAX_TEXT = 16 * 1024 * 1024

export function createS3({ endpoint, region, pathStyle, bucket }: S3Options): S3 {
  const config: S3ClientConfig = {
    maxAttempts: ATTEMPTS,
    forcePathStyle: pathStyle,
    // The SDK would add checksums that several S3-compatible servers refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
    ...(endpoint !== '' && { endpoint }),
    ...(region !== '' ? { region } : endpoint !== '' && { region: 'us-east-1' }),
  }
  const client = new S3Client(config)
  const where = `s3://${bucket}`

  async function ask<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw explained(error, what, endpoint)
    }
  }

  async function sizeOf(key: string): Promise<number | undefined> {
    return ask(`${where}/${key} cannot be looked up`, async () => {
      try {
        const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))
        return ContentLength ?? 0
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    })
  }

  return {
    sizeOf,

    async putText(key, text) {
      await ask(`${where}/${key} cannot be stored`, () =>
        client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: Buffer.from(text) })),
      )
    },

    async putLarge(key, size, read, signal) {
      const what = `${where}/${key} cannot be stored`
      const abort = signal ? { abortSignal: signal } : {}
      if (size <= PART_BYTES) {
        const Body = await read(0, size)
        await ask(what, () => client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body }), abort))
      } else {
        const target = { Bucket: bucket, Key: key }
        const { UploadId } = await ask(what, () => client.send(new CreateMultipartUploadCommand(target), abort))
        try {
          const Parts: { ETag: string | undefined; PartNumber: number }[] = []
          const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS))
          for (let at = 0; at < size; at += partBytes) {
            signal?.throwIfAborted()
            const PartNumber = Parts.length + 1
            const Body = await read(at, Math.min(partBytes, size - at))
            const part = new UploadPartCommand({ ...target, UploadId, PartNumber, Body })
            const { ETag } = await ask(what, () => client.send(part, abort))
            Parts.push({ ETag, PartNumber })
          }
          const complete = new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } })
          await ask(what, () => client.send(complete, abort))
        } catch (error) {
          // Parts of an upload that never ends would be stored, and paid for, invisibly.
          await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
          throw error
        }
      }
      const stored = await sizeOf(key)
      if (stored === size) return
      throw new AppError('unavailable', `${what}: it has ${stored ?? 'no'} bytes there instead of ${size}; try again`)
    },

    async getText(key) {
      return ask(`${where}/${key} cannot be read`, async () => {
        for (let attempt = 1; ; attempt++) {
          try {
            const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
            if ((ContentLength ?? 0) > MAX_TEXT) throw new Error('it is too large')
            return await Body!.transformToString()
          } catch (error) {
            if (statusOf(error) === 404 && !isNoBucket(error)) return undefined
            // The SDK repeats requests, but not the reading of an answer that breaks off.
            if (statusOf(error) !== undefined || attempt === ATTEMPTS) throw error
          }
        }
      })
    },

    async get(key, start, signal) {
      const Range = start === 0 ? {} : { Range: `bytes=${start}-` }
      const request = new GetObjectCommand({ Bucket: bucket, Key: key, ...Range })
      return ask(`${where}/${key} cannot be read`, async () => {
        const { Body } = await client.send(request, signal ? { abortSignal: signal } : {})
        return Body as unknown as AsyncIterable<Buffer>
      })
    },

    async keys(prefix) {
      const keys: string[] = []
      let token: string | undefined
      do {
        const page = await ask(`${where}/${prefix} cannot be listed`, () =>
          client.send(
            new ListObjectsV2Command({
              Bucket: bucket,
              Prefix: prefix,
              Delimiter: '/',
              ...(token !== undefined && { ContinuationToken: token }),
            }),
          ),
        )
        keys.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []))
        token = page.IsTruncated ? page.NextContinuationToken : undefined
      } while (token !== undefined)
      return keys
    },

    async abortUploads(key) {
      await ask(`open uploads of ${where}/${key} cannot be ended`, async () => {
        // A key has hardly ever more than one, so that the first page of the list has all.
        const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key }))
        for (const { Key, UploadId } of Uploads ?? []) {
          if (Key === key) await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
        }
      })
    },

    async remove(key) {
      await ask(`${where}/${key} cannot be deleted`, () =>
        client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })),
      )
    },
  }
}

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode

const isNoBucket = (error: unknown) => (error as Error | null)?.name === 'NoSuchBucket'

/** The SDK's errors by what an operator can do about them. */
function explained(error: unknown, what: string, endpoint: string): unknown {
  if (error instanceof AppError || (error as Error | null)?.name === 'AbortError') return error
  const { name } = error as Error
  const status = statusOf(error)
  const said = name === 'Error' ? messageOf(error) : `${name}: ${messageOf(error)}`
  if (/CredentialsProvider/.test(name)) {
    return new AppError(
      'config',
      `${what}: no credentials found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE`,
    )
  }
  if (/region is missing/i.test(messageOf(error))) {
    return new AppError('config', `${what}: no region is named; set AWS_REGION or backup.region`)
  }
  if (status === 401 || status === 403) {
    return new AppError(
      'forbidden',
      `${what}: the store refuses (${said}); check the credentials and the policy of the bucket`,
    )
  }
  if (isNoBucket(error)) return new AppError('not_found', `${what}: there is no such bucket`)
  if (status === 404) return new AppError('not_found', `${what}: there is no such object`)
  if (status === 301 || status === 400) {
    return new AppError(
      'config',
      `${what}: the store refuses (${said}); check the region, the endpoint and the path style`,
    )
  }
  const server = endpoint === '' ? 'the store' : `the store at ${endpoint}`
  return new AppError('unavailable', `${what}: ${server} does not answer as it should (${said || 'no message'})`)
}
