import type { PictureKind } from '../../platform/pictures/types.ts'

/** Bytes of pictures that one thread keeps. */
const CAPACITY = 32 * 1024 * 1024
/** Time for which a picture may be shown after it was deleted. */
const LIFE_MS = 60_000

interface Parts {
  read(uid: string, kind: PictureKind): Promise<Buffer | undefined>
  /** In ms, of a monotonic clock. */
  now(): number
}

/**
 * Keeps the pictures that were asked for last. A push with a picture makes every phone ask for the same bytes within a minute: they
 * are read from the database once, also by those who ask at the same time, and all answers share them.
 */
export function pictureMemory({ read, now }: Parts) {
  /** In the order of their use, the latest last. */
  const kept = new Map<string, { bytes: Buffer; until: number }>()
  const asked = new Map<string, Promise<Buffer | undefined>>()
  let size = 0

  function drop(key: string): void {
    size -= kept.get(key)?.bytes.length ?? 0
    kept.delete(key)
  }

  function keep(key: string, bytes: Buffer, until: number): void {
    drop(key)
    kept.set(key, { bytes, until })
    size += bytes.length
    for (const oldest of kept.keys()) {
      if (size <= CAPACITY) break
      drop(oldest)
    }
  }

  async function load(key: string, uid: string, kind: PictureKind): Promise<Buffer | undefined> {
    try {
      const bytes = await read(uid, kind)
      if (bytes) keep(key, bytes, now() + LIFE_MS)
      else drop(key)
      return bytes
    } finally {
      asked.delete(key)
    }
  }

  return {
    /** The bytes of a picture; undefined when there is none. */
    get(uid: string, kind: PictureKind): Promise<Buffer | undefined> {
      const key = `${uid}.${kind}`
      const found = kept.get(key)
      if (found && found.until > now()) {
        kept.delete(key)
        kept.set(key, found)
        return Promise.resolve(found.bytes)
      }
      let loading = asked.get(key)
      if (!loading) asked.set(key, (loading = load(key, uid, kind)))
      return loading
    },
  }
}
