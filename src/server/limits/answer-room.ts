import type { Socket } from 'node:net'
import type { Context } from 'koa'
import { createRoom, isLong, type Place, withRoom } from '../../platform/concurrency/room.ts'
import type { Program } from '../../program.ts'
import { prefixOf } from './caller.ts'
import { refusalNotes } from './refusals.ts'

/** Maximum wait for room. SDKs and proxies wait longer than this for an answer. */
const WAIT_MS = 10_000
/** A slow phone reads at least some bytes within this time. */
const PATIENCE_MS = 5000

/** Limits the memory of all long answers together to `http.answerBytes`. `make` returns the answer. */
export function roomForAnswers({ kernel }: Program) {
  const room = createRoom({
    // HTTP threads do not know of each other's answers: each has its part.
    most: kernel.config['http.answerBytes'] / (kernel.sharing?.threads ?? 1),
    waitMs: WAIT_MS,
    patienceMs: PATIENCE_MS,
    onCut: refusalNotes(
      kernel,
      'http.answerBytes',
      'connections are closed: their clients do not read the answer while others wait for memory',
    ),
  })

  function enter({ req: { socket }, res, ip }: Context): Place {
    const place = room.enter({
      peer: prefixOf(ip),
      waiting: () => (isOwnReader(res) ? res.unread() : unreadBy(socket)),
      // On HTTP/2 this ends the one answer.
      cut: () => socket.destroy(),
    })
    if (res.closed) place.leave()
    else res.once('close', place.leave)
    return place
  }

  return async function within<T extends { body: unknown }>(context: Context, make: () => Promise<T>): Promise<T> {
    let place: Place | undefined
    // Entered on the first claim only: few answers are long.
    const claim = (bytes: number, isInHand?: boolean) => {
      place ??= enter(context)
      return place.claim(bytes, isInHand)
    }
    const isRead = context.method === 'GET' || context.method === 'HEAD'
    const answer = await (isRead ? withRoom(claim, make) : make())
    // An answer that is not streamed is in memory already.
    if (typeof answer.body === 'string' && isLong(answer.body.length)) await claim(answer.body.length, true)
    return answer
  }
}

/** An answer that knows how much of it is unread: on HTTP/2 many share a connection (tls/http2-door.ts). */
interface OwnReader {
  unread(): string | undefined
}

const isOwnReader = (response: object): response is OwnReader => 'unread' in response

/**
 * A text that changes whenever the client reads. Node counts a large write as one; only the handle knows how much of
 * it is sent.
 */
function unreadBy(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): string | undefined {
  if (socket.writableLength === 0) return undefined
  return `${socket.bytesWritten} ${socket.writableLength} ${socket._handle?.writeQueueSize}`
}
