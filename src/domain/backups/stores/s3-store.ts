import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { AppError, isAppError, messageOf } from '../../../platform/errors.ts'
import type { S3 } from '../../../platform/net/s3-client.ts'
import { isAborted } from '../file-faults.ts'
import { removeAbandoned, taken } from './local-store.ts'
import type { BackupStore, S3Settings } from './store.ts'

export interface S3StoreParts extends S3Settings {
  bucket: string
  /** Beginning of the names of objects: empty, or ends with `/`. */
  prefix: string
  /** A directory of this machine with room for a copy of the database. */
  staging: string
}

/** A download that breaks off is continued this often without having got further. */
const ATTEMPTS = 5

/** A prefix of a bucket. */
export function s3Store({ bucket, prefix, staging, ...settings }: S3StoreParts): BackupStore {
  let loading: Promise<S3> | undefined
  const s3 = () =>
    (loading ??= import('../../../platform/net/s3-client.ts').then(({ createS3 }) => createS3({ ...settings, bucket })))
  const addressOf = (name: string) => `s3://${bucket}/${prefix}${name}`

  return {
    addressOf,
    staging,

    async prepare(clock) {
      removeAbandoned(staging, clock)
      // Credentials and bucket are tried before a large database is copied.
      await (await s3()).keys(`${prefix}appsvc-`)
    },

    async has(name) {
      return (await (await s3()).sizeOf(prefix + name)) !== undefined
    },

    async put(draft, name, { overwrite, signal }) {
      const store = await s3()
      if (!overwrite && (await store.sizeOf(prefix + name)) !== undefined) throw taken(addressOf(name))
      const file = await open(draft, 'r')
      try {
        const { size } = await file.stat()
        const read = async (start: number, bytes: number) => {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, start)
          if (bytesRead !== bytes) throw new Error(`${draft} has changed while it was uploaded`)
          return buffer
        }
        await store.putLarge(prefix + name, size, read, signal)
      } finally {
        await file.close()
      }
      rmSync(draft)
    },

    putText: async (name, text) => (await s3()).putText(prefix + name, text),
    getText: async (name) => (await s3()).getText(prefix + name),
    names: async () => (await (await s3()).keys(prefix)).map((key) => key.slice(prefix.length)),
    abandon: async (name) => (await s3()).abortUploads(prefix + name),
    remove: async (name) => (await s3()).remove(prefix + name),

    async fetch(name, to, { signal, onProgress }) {
      const store = await s3()
      const size = await store.sizeOf(prefix + name)
      if (size === undefined) throw new AppError('not_found', `there is no ${addressOf(name)}`)
      const target = await open(to, 'wx', 0o600)
      try {
        let done = 0
        for (let failures = 0; done < size; ) {
          const before = done
          let why = 'no more bytes'
          try {
            for await (const chunk of await store.get(prefix + name, done, signal)) {
              await target.writeFile(chunk)
              done += chunk.length
              onProgress?.(done, size)
            }
          } catch (error) {
            if (isAborted(error, signal) || (isAppError(error) && error.code !== 'unavailable')) throw error
            why = messageOf(error)
          }
          failures = done > before ? 0 : failures + 1
          if (failures >= ATTEMPTS) throw brokenOff(addressOf(name), done, size, why)
        }
        await target.sync()
      } finally {
        await target.close()
      }
    },
  }
}

function brokenOff(address: string, done: number, size: number, why: string): AppError {
  return new AppError('unavailable', `${address} broke off after ${done} of ${size} bytes (${why}): try again`)
}
