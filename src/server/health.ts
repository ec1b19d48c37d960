import type { Context } from 'koa'
import type { App } from '../app.ts'
import { Reply } from './route.ts'

/** A worker loop that has not turned for so long is stuck. */
const STALE_TICK_MS = 60_000

/**
 * `/healthz`: the process answers. `/readyz`: the database answers and every worker loop turns; 503 with what is wrong
 * otherwise. Both without a key.
 */
export function healthDoor(app: App) {
  return async (context: Context): Promise<Reply | undefined> => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return undefined
    if (context.path === '/healthz') return new Reply(200, { status: 'ok' })
    if (context.path !== '/readyz') return undefined
    const problems: string[] = []
    try {
      await app.kernel.db.read.raw('select 1')
    } catch (error) {
      problems.push(`the database does not answer: ${(error as Error).message}`)
    }
    const now = app.kernel.clock.monotonic()
    for (const [name, at] of app.kernel.ticks) {
      if (now - at > STALE_TICK_MS)
        problems.push(`the ${name} worker has not moved for ${Math.round((now - at) / 1000)} s`)
    }
    return problems.length === 0
      ? new Reply(200, { status: 'ready' })
      : new Reply(503, { error: problems.join('; ') }, { 'Retry-After': '5' })
  }
}
