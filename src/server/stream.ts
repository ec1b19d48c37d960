import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { messageOf } from '../platform/errors.ts'
import type { Stream } from './route.ts'

/** Characters of a piece of a long answer. An item is never divided, so a piece may be longer. */
const PIECE = 65_536

/** A list could not be read to its end, for the reason in `cause`; the part before it has left. */
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
 * The body of a long list: its whole text when that is one piece, else a stream that reads on as the caller does. The first piece is
 * made before anything is sent, so what fails until then is answered as an error; what fails later must end the connection.
 */
export async function bodyOf(list: Stream): Promise<string | Readable> {
  const pieces = piecesOf(list)
  const { value: first } = await pieces.next()
  if (first!.isLast) return first!.text
  return Readable.from(behind(first!.text, pieces))
}

async function* behind(first: string, pieces: AsyncGenerator<Piece, undefined>): AsyncGenerator<string> {
  // Whoever asks for the next piece is the connection, and no longer the answer, whose room it needs.
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
 * What is read from a database inside this process, and made JSON, takes no turn of the event loop by itself. So one piece of one list is
 * made in each turn, however many lists there are, and everybody else has his in between.
 */
function turn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

/** The JSON text of a list in pieces. */
export async function* textOf(list: Stream): AsyncGenerator<string> {
  for await (const { text } of piecesOf(list)) yield text
}

async function* piecesOf({ items, present, within }: Stream): AsyncGenerator<Piece, undefined> {
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
