import { readInstant } from '../../platform/time/instants.ts'
import {
  checked,
  closedShape,
  documented,
  flag,
  integer,
  list,
  oneOf,
  shape,
  text,
} from '../../platform/values/parse.ts'
import { readCursor } from '../followers/position.ts'
import { INCLUDES } from '../followers/types.ts'

const MAX_TYPES = 50
const MAX_BATCH = 500
/** An hour. */
const MAX_WAIT_MS = 3_600_000

const url = () => text({ max: 2048 })
const types = () => list(text({ max: 255 }).required(), { min: 1, max: MAX_TYPES }).nullable()
const include = () => list(oneOf(INCLUDES).required(), { max: INCLUDES.length }).nullable()
const batch = () =>
  closedShape({
    max: integer({ min: 1, max: MAX_BATCH }),
    waitMs: integer({ min: 0, max: MAX_WAIT_MS }),
  })

/** Body of a new webhook. Without `types` it gets all events. */
export const createWebhook = closedShape({
  url: url().required(),
  types: types(),
  include: include(),
  batch: batch(),
}).required()

/** What the record of a webhook says besides what a caller may say. */
const TOLD = [
  'id',
  'appId',
  'state',
  'offReason',
  'failingSince',
  'waitingSince',
  'secretHint',
  'formerSecretUntil',
  'replay',
  'createdAt',
  'updatedAt',
]

/** Body of a change: what is absent stays; `types: null` means all, `include: null` nothing besides events. */
export const updateWebhook = closedShape(
  { url: url(), types: types(), include: include(), batch: batch(), enabled: flag() },
  TOLD,
).required()

const MAX_OVERLAP_SECONDS = 7 * 86_400

/** Body of a rotation: for how long the secret before signs as well (s). */
export const rotateSecret = shape({
  overlapSeconds: integer({ min: 0, max: MAX_OVERLAP_SECONDS }).default(86_400),
}).required()

/** Where a replay begins or ends: at a time, or behind an event. */
export type ReplayEdge = { at: number } | { cursor: string }

/** Reads a time in ISO 8601 or the id of an event; undefined when it is neither. */
export function readEdge(given: string): ReplayEdge | undefined {
  if (readCursor(given)) return { cursor: given }
  const at = readInstant(given)
  return at === undefined ? undefined : { at }
}

const edge = () =>
  documented(
    checked<string>((value) =>
      typeof value === 'string' && readEdge(value)
        ? {}
        : { '': ['must be a time such as 2026-11-21T09:30:00Z, or the id of an event'] },
    ),
    { type: 'string' },
  )

/** Body of a replay. Without `to` it ends with the newest event. */
export const replayEvents = closedShape({ from: edge().required(), to: edge() }).required()

/** Query of the attempts: `after` is the `next` of the page before. */
export const listAttempts = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(100),
})
