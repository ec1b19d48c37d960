import { isAppError, messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import type { Person, Route } from '../routing/route.ts'

const HOUR_MS = 3_600_000
/** Rows and lines in an hour: strangers must not fill a disk. The first of the next hour tells how many were left out. */
const MOST_AN_HOUR = 100

interface Hour {
  since: number
  noted: number
  leftOut: number
}

const hourOf = onePerProgram((): { now: Hour } => ({ now: { since: Number.NEGATIVE_INFINITY, noted: 0, leftOut: 0 } }))

/** Tells whether to note one more, and how many were left out before it. */
function counted(program: Program): { isNoted: boolean; leftOut: number } {
  const kept = hourOf(program)
  const at = program.kernel.clock.monotonic()
  const isOver = at - kept.now.since >= HOUR_MS
  if (isOver) kept.now = { since: at, noted: 0, leftOut: kept.now.leftOut }
  if (kept.now.noted >= MOST_AN_HOUR) {
    kept.now.leftOut++
    return { isNoted: false, leftOut: 0 }
  }
  const { leftOut } = kept.now
  kept.now.noted++
  kept.now.leftOut = 0
  return { isNoted: true, leftOut }
}

/** Ways to prove who one is, by the path of the route. */
const WAYS: Readonly<Record<string, string>> = {
  '/v1/setup': 'one-time link',
  '/v1/sessions': 'password',
  '/v1/sessions/link': 'one-time link',
  '/v1/sessions/passkey': 'passkey',
  '/v1/session/confirm': 'fresh sign-in',
}

/**
 * Notes a sign-in that was refused, in the log and in the audit log: from where, how, and whose account it is. An address that belongs to
 * nobody is not written down: people type passwords into the wrong field.
 */
async function noteRefused(program: Program, { way, email, person, remote, why }: Refused): Promise<void> {
  const { isNoted, leftOut } = counted(program)
  if (!isNoted) return
  const known = person ?? (email === undefined ? undefined : await program.admins.findByEmail(email))
  const after = { way, why, ...(leftOut > 0 && { leftOut }) }
  program.kernel.log.warn({ remote, person: known?.id ?? null, ...after }, 'a sign-in was refused')
  await program.inTransaction((tx) =>
    tx.audit.record({
      action: 'sessions.refuse',
      adminId: known?.id ?? null,
      who: known?.name ?? 'nobody',
      appId: null,
      target: way,
      after,
      remote,
    }),
  )
}

interface Refused {
  way: string
  email: string | undefined
  person: Pick<Person, 'id' | 'name'> | undefined
  remote: string
  why: 'wrong' | 'second factor' | 'too many'
}

/** A route by which people sign in, which notes each refusal. A failure to note it refuses nothing. */
export function notingRefusals(route: Route): Route {
  const way = WAYS[route.path]
  if (way === undefined || route.method !== 'post') return route
  return {
    ...route,
    async run(call) {
      try {
        return await route.run(call)
      } catch (error) {
        const why = whyOf(error)
        if (why) {
          const { email } = (call.body ?? {}) as { email?: string }
          const person = route.needs === 'person' ? call.person : undefined
          const told = { way, email: person ? undefined : email, person, remote: call.remote, why }
          await noteRefused(call.program, told).catch((failed: unknown) =>
            call.program.kernel.log.warn({ error: messageOf(failed) }, 'a refused sign-in could not be noted'),
          )
        }
        throw error
      }
    },
  }
}

function whyOf(error: unknown): Refused['why'] | undefined {
  if (!isAppError(error)) return undefined
  if (error.code === 'too_many') return 'too many'
  if (error.code !== 'unauthorized') return undefined
  return (error.details.body as { code?: string } | undefined)?.code === 'second_factor' ? 'second factor' : 'wrong'
}
