import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { messageOf } from '../../platform/errors.ts'
import type { Stream } from '../routing/route.ts'

/** Target size of a piece, in characters. Items are not split, so a piece may be larger. */
const PIECE = 65_536

/** A list failed after its first part was sent; `cause` is the reason. */
export class BrokenOff extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause })
  }
}

interface Piece {
  text: string
  isLast: boolean
}

/**
 * The body of a long list: the whole text if it is one piece, else a stream that reads as fast as the client. The
 * first piece is made before anything is sent, so an early failure becomes an error status. A later one must close
 * the connection.
 */
export async function bodyOf(list: Stream): Promise<string | Readable> {
  const pieces = piecesOf(list)
  const { value: first } = await pieces.next()
  if (first!.isLast) return first!.text
  return Readable.from(behind(first!.text, pieces))
}

async function* behind(first: string, pieces: AsyncGenerator<Piece, undefined>): AsyncGenerator<string> {
  // Later pieces are requested by the connection, outside the answer's context, so its room is passed on.
  const asAnswer = AsyncLocalStorage.snapshot()
  try {
    yield first
    for (;;) {
      await turn()
      const { value, done } = await asAnswer(() => pieces.next()).catch((error: unknown) => {
        throw new BrokenOff(error)
      })
      if (done) return
      yield value.text
    }
  } finally {
    await pieces.return(undefined)
  }
}

let lastTurn: Promise<unknown> = Promise.resolve()

/**
 * Waits for a turn of the event loop. Reading from SQLite and formatting JSON never yield by themselves, so one piece
 * of one list is made per turn, and other requests run in between.
 */
function turn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

/** The JSON text of a list, in pieces. */
export async function* textOf(list: Stream): AsyncGenerator<string> {
  for await (const { text } of piecesOf(list)) yield text
}

async function* piecesOf({ items, present, within }: Stream): AsyncGenerator<Piece, undefined> {
  if (within === 'lines') return yield* textsOf(items, (item) => `${JSON.stringify(present(item))}\n`)
  if (within === 'pieces') return yield* textsOf(items, (item) => String(present(item)))
  if (within === 'records') return yield* textsOf(items, present as (item: unknown) => string)
  let text = within ? `{${JSON.stringify(within.name)}:[` : '['
  let separator = ''
  for await (const item of items) {
    text += separator + JSON.stringify(present(item))
    separator = ','
    if (text.length < PIECE) continue
    yield { text, isLast: false }
    text = ''
  }
  const others = Object.entries(within?.others ?? {}).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  yield { text: `${text}]${within ? `${others.join('')}}` : ''}`, isLast: true }
}

async function* textsOf(items: Stream['items'], shown: (item: unknown) => string): AsyncGenerator<Piece, undefined> {
  let text = ''
  for await (const item of items) {
    text += shown(item)
    if (text.length < PIECE) continue
    yield { text, isLast: false }
    text = ''
  }
  yield { text, isLast: true }
}
