import { sendThrough } from '../../src/platform/http2/batch.ts'
import type { Http2Pool } from '../../src/platform/http2/types.ts'

/** A pool without a network: `request` answers, `close` is told when it is closed. */
export function scriptedPool(request: Http2Pool['request'], close: () => unknown = () => {}): Http2Pool {
  return {
    request,
    send: sendThrough(request),
    warm: async () => {},
    stats: () => ({ sessions: 0, streams: 0, waiting: 0 }),
    async close() {
      await close()
    },
  }
}
