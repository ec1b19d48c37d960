import { type Failpoint, failpoint } from '../../../platform/process/failpoints.ts'
import type { GeofencesService } from '../../geofences/service.ts'

/**
 * A fan-out that is taken in steps. A step is read outside of any transaction, for as long as it takes, and stored in a
 * short one that first checks that no other process has taken the same step
 * (docs/decisions/0009-fan-out-reads-first.md).
 */
export interface Stepwise<O extends DueStep, R> {
  /** Reads the unit of work that is due; undefined when it is finished. */
  open(id: number): Promise<O | undefined>
  read(opened: O): Promise<R>
  /** Stores nothing when the unit has changed since it was opened. */
  store(ready: R): Promise<Stepped>
}

/** A unit of work that is due, before its next step is read. */
export interface DueStep {
  appId: number
  /** No recipient was read yet, and who they are may depend on geofences. */
  beginsWithFences: boolean
}

/**
 * What a step did. `more`: another one can follow at once. `lost`: another process took the step or cancelled the send.
 */
export type Stepped = 'more' | 'done' | 'lost'

export interface StepAreas {
  geofences: Pick<GeofencesService, 'settle'>
}

export interface StepParts<A extends StepAreas> {
  /** Outside of any transaction. */
  read: A
  inTransaction<T>(work: (areas: A) => Promise<T>): Promise<T>
}

/** Transactions that fill new geofences before other fan-outs get their turn. */
const SETTLED_AT_ONCE = 10

/**
 * Takes the next step of a unit of work. When the unit was cancelled meanwhile, or another process took the step, the
 * result is `lost` and nothing is stored. A send that depends on geofences begins when all of them are filled.
 * `between` is the failpoint after reading and before storing.
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
