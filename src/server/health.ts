import type { Context } from 'koa'
import type { App } from '../app.ts'
import { whyDatabaseIsSilent } from '../platform/db/answering.ts'
import { FAULTS, type Fault } from '../platform/faults.ts'
import { Reply } from './route.ts'

export const HEALTH_PATHS = ['/healthz', '/readyz'] as const

/**
 * `/healthz`: the process runs. `/readyz`: the database answers and no known fault keeps the process from taking
 * requests; otherwise 503 with the faults. Faults that only affect sending are in `warnings`. Both need no key.
 */
export function healthDoor(app: App) {
  return async (context: Context): Promise<Reply | undefined> => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return undefined
    if (context.path === '/healthz') return new Reply(200, { status: 'ok' })
    if (context.path !== '/readyz') return undefined
    const { db, faults, clock } = app.kernel
    // Asked now, because the result of the last check may be seconds old.
    const silence = await whyDatabaseIsSilent(db, clock)
    const known = faults.list().filter(({ kind }) => kind !== 'database')
    const problems = [...(silence === undefined ? [] : [silence]), ...sentences(known, false)]
    const warnings = sentences(known, true)
    const also = warnings.length > 0 ? { warnings } : {}
    return problems.length === 0
      ? new Reply(200, { status: 'ready', ...also })
      : new Reply(503, { error: problems.join('; '), ...also }, { 'Retry-After': '5' })
  }
}

const sentences = (faults: readonly Fault[], ready: boolean): string[] =>
  faults.filter(({ kind }) => FAULTS[kind].ready === ready).map(({ sentence }) => sentence)
