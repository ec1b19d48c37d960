import { sendThrough } from './batch.ts'
import { openHttp1Pool } from './http1.ts'
import { openPool } from './pool.ts'
import { causedBy, type Http2Pool, NoHttp2, type OpenPool } from './types.ts'

/**
 * A pool that speaks HTTP/2. Once a connection shows that the peer does not offer it, the pool speaks HTTP/1.1 for the
 * rest of its life.
 */
export const openEitherPool: OpenPool = (options) => {
  let pool = openPool(options)
  let old: Http2Pool | undefined
  const request: Http2Pool['request'] = async (one) => {
    const used = pool
    try {
      return await used.request(one)
    } catch (error) {
      if (old === used) return pool.request(one)
      if (old !== undefined || !causedBy(error, NoHttp2)) throw error
      old = used
      pool = openHttp1Pool(options)
      void used.close()
      return pool.request(one)
    }
  }
  return {
    request,
    send: sendThrough(request),
    warm: () => pool.warm(),
    stats: () => pool.stats(),
    async close() {
      await Promise.all([pool.close(), old?.close()])
    },
  }
}
