import type { Socket } from 'node:net'
import type { Context } from 'koa'
import type { App } from '../app.ts'
import { createRoom, isLong, type Place, withRoom } from '../platform/room.ts'
import { prefixOf } from './device/caller.ts'
import { refusalNotes } from './refusals.ts'

/** SDKs and proxies wait longer than this for an answer. */
const WAIT_MS = 10_000
/** A slow phone takes something in within this time. */
const PATIENCE_MS = 5000

/** Makes answers within the room that `http.answerBytes` gives to all long ones; `make` returns what is sent. */
export function roomForAnswers({ kernel }: App) {
  const room = createRoom({
    most: kernel.config['http.answerBytes'],
    waitMs: WAIT_MS,
    patienceMs: PATIENCE_MS,
    onCut: refusalNotes(
      kernel,
      'http.answerBytes',
      'connections are cut: others wait for room, and their clients do not read the answer',
    ),
  })

  function enter({ req: { socket }, res, ip }: Context): Place {
    const place = room.enter({
      peer: prefixOf(ip),
      waiting: () => unreadBy(socket),
      cut: () => socket.destroy(),
    })
    if (res.closed) place.leave()
    else res.once('close', place.leave)
    return place
  }

  return async function within<T extends { body: unknown }>(context: Context, make: () => Promise<T>): Promise<T> {
    let place: Place | undefined
    // Hardly any answer is long: the others cost nothing.
    const claim = (bytes: number, isInHand?: boolean) => {
      place ??= enter(context)
      return place.claim(bytes, isInHand)
    }
    const isRead = context.method === 'GET' || context.method === 'HEAD'
    const answer = await (isRead ? withRoom(claim, make) : make())
    // Any other answer is in memory as a whole.
    if (typeof answer.body === 'string' && isLong(answer.body.length)) await claim(answer.body.length, true)
    return answer
  }
}

/** Node counts a large piece as one; how much of it the system took, only the handle knows. */
function unreadBy(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): string | undefined {
  if (socket.writableLength === 0) return undefined
  return `${socket.bytesWritten} ${socket.writableLength} ${socket._handle?.writeQueueSize}`
}
