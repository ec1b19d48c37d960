import { type Right, type RoleIn, rightsIn } from '../../domain/admins/types.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import type { Person } from '../routing/route.ts'

/** The time (ms) between two looks whether those who hold an answer open still may: an answer whose right ended, ends within a second. */
const LOOK_MS = 400
/**
 * Number of failed looks after which everything ends. While the database does not answer, nobody knows whether the access is
 * still there.
 */
const MOST_FAILURES = 25

/** An answer that goes on for a person. */
interface Going {
  person: Pick<Person, 'id' | 'session' | 'tokenId'>
  /** The place and the rights that the person needs for it; both may change while it goes on. */
  place: () => { appId: number | null; rights: readonly Right[] }
  end(why: AppError): void
}

interface Watch {
  all: Set<Going>
  isLooking: boolean
}

const watchOf = onePerProgram<Watch>(() => ({ all: new Set(), isLooking: false }))

/**
 * Watches over an answer that goes on for a person: a stream, a long export, an upload. `end` is called once, within a second of
 * the end of their session, token, rights or app, wherever it ended: one look at the database serves everything that is open in
 * the thread. Returns a function that ends the watch.
 */
export function whileAllowed(program: Program, going: Going): () => void {
  const watch = watchOf(program)
  watch.all.add(going)
  if (!watch.isLooking) void lookOn(program, watch)
  return () => void watch.all.delete(going)
}

/** The place and the rights of a call, for `whileAllowed`. */
export function placeOfCall({ rights }: Person, appId: number): Going['place'] {
  const place = { appId: appId === 0 ? null : appId, rights: rights.filter((right) => right !== 'self') }
  return () => place
}

async function lookOn(program: Program, watch: Watch): Promise<void> {
  const { all } = watch
  watch.isLooking = true
  for (let failures = 0; all.size > 0; ) {
    await pause()
    try {
      await look(program, [...all], all)
      failures = 0
    } catch (error) {
      program.kernel.log.debug({ error: messageOf(error) }, 'it could not be looked who still has access')
      if (++failures >= MOST_FAILURES) for (const one of all) finish(one, all)
    }
  }
  watch.isLooking = false
}

async function look(program: Program, found: readonly Going[], all: Set<Going>): Promise<void> {
  if (found.length === 0) return
  const still = await program.admins.stillIn({
    sessions: found.flatMap(({ person }) => (person.session ? [person.session.id] : [])),
    tokens: found.flatMap(({ person }) => (person.tokenId === undefined ? [] : [person.tokenId])),
    apps: found.flatMap(({ place }) => place().appId ?? []),
  })
  for (const one of found) {
    const { person, place } = one
    const roles = person.session ? still.bySession.get(person.session.id) : still.byToken.get(person.tokenId ?? 0)
    if (!roles || !mayStill(roles, place(), still.apps)) finish(one, all)
  }
}

/** Tells whether roles give all the rights that there were, in an app that still exists. Pure. */
export function mayStill(
  roles: readonly RoleIn[],
  { appId, rights }: ReturnType<Going['place']>,
  apps: ReadonlySet<number>,
): boolean {
  if (appId !== null && !apps.has(appId)) return false
  const held = rightsIn(roles, appId)
  return rights.every((right) => held.includes(right))
}

function finish(one: Going, all: Set<Going>): void {
  if (all.delete(one)) one.end(new AppError('unauthorized', 'your session, token or role has ended: sign in again'))
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LOOK_MS).unref()
  })
}
