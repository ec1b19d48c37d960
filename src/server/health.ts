import type { Context } from 'koa'
import { whyDatabaseIsSilent } from '../platform/db/answering.ts'
import { FAULTS, type Fault } from '../platform/instance/faults.ts'
import type { Program } from '../program.ts'
import { Reply } from './routing/route.ts'

export const HEALTH_PATHS = ['/healthz', '/readyz'] as const

/** An answer about the health of this process. */
export interface HealthAnswer {
  status: number
  body: Record<string, unknown>
  headers?: Record<string, string>
}

/**
 * `/healthz`: the process runs. `/readyz`: the database answers and no known fault keeps the process from taking
 * requests; otherwise 503 with the faults. Faults that only affect sending are in `warnings`. Undefined for other paths.
 */
export async function answerHealth(program: Program, path: string): Promise<HealthAnswer | undefined> {
  if (path === '/healthz') return { status: 200, body: { status: 'ok' } }
  if (path !== '/readyz') return undefined
  const { db, faults, clock } = program.kernel
  // Asked now, because the result of the last check may be seconds old.
  const silence = await whyDatabaseIsSilent(db, clock)
  const known = faults.list().filter(({ kind }) => kind !== 'database')
  const problems = [...(silence === undefined ? [] : [silence]), ...sentences(known, false)]
  const warnings = sentences(known, true)
  const also = warnings.length > 0 ? { warnings } : {}
  return problems.length === 0
    ? { status: 200, body: { status: 'ready', ...also } }
    : { status: 503, body: { error: problems.join('; '), ...also }, headers: { 'Retry-After': '5' } }
}

/** `answerHealth` for everybody: it needs no key. */
export function healthDoor(program: Program) {
  return async (context: Context): Promise<Reply | undefined> => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return undefined
    const answer = await answerHealth(program, context.path)
    return answer && new Reply(answer.status, answer.body, answer.headers)
  }
}

const sentences = (faults: readonly Fault[], ready: boolean): string[] =>
  faults.filter(({ kind }) => FAULTS[kind].ready === ready).map(({ sentence }) => sentence)
