import { type Failpoint, failpoint } from '../../platform/failpoints.ts'
import type { GeofencesService } from '../geofences/service.ts'

/**
 * A fan-out: goes to an audience step by step. A step is read without a transaction, at any length, and stored in a short one that
 * first makes sure that nobody was faster (docs/decisions/0009-fan-out-reads-first.md).
 */
export interface Stepwise<O extends DueStep, R> {
  /** Looks at what is due; undefined when it is through. */
  open(id: number): Promise<O | undefined>
  read(opened: O): Promise<R>
  /** Stores nothing when it is not where it was. */
  store(ready: R): Promise<Stepped>
}

/** What is due, before its next step is read. */
export interface DueStep {
  appId: number
  /** Its recipients may depend on who is in which geofence, and none was looked up yet. */
  beginsWithFences: boolean
}

/** What became of a step: more is to come at once; nothing more now; or somebody else stepped it, began storing it or called it off. */
export type Stepped = 'more' | 'done' | 'lost'

export interface StepAreas {
  geofences: Pick<GeofencesService, 'settle'>
}

export interface StepParts<A extends StepAreas> {
  /** Outside of any transaction. */
  read: A
  inTransaction<T>(work: (areas: A) => Promise<T>): Promise<T>
}

/** Transactions in which installs are placed into new fences before others have their turn. */
const SETTLED_AT_ONCE = 10

/**
 * Takes what is due a step further. What happened while it was read decides: when it was called off, or another process stepped
 * it, it is `lost`, and nothing of the step is stored. What depends on geofences begins when everybody is placed in them. `between`
 * is the failpoint where the step is read and nothing of it stored.
 */
export async function takeStep<A extends StepAreas, O extends DueStep, R>(
  { read, inTransaction }: StepParts<A>,
  fanOut: (areas: A) => Stepwise<O, R>,
  between: Failpoint,
  id: number,
): Promise<Stepped> {
  const opened = await fanOut(read).open(id)
  if (!opened) return 'lost'
  if (opened.beginsWithFences) {
    for (let i = 0; await inTransaction(({ geofences }) => geofences.settle(opened.appId)); i++) {
      if (i >= SETTLED_AT_ONCE) return 'more'
    }
  }
  const ready = await fanOut(read).read(opened)
  failpoint(between)
  return inTransaction((areas) => fanOut(areas).store(ready))
}
