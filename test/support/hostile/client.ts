import { createConnection, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * The client of `openHostileRig`, in a thread of its own, so that its work costs the thread of the server nothing. It
 * writes a request as bytes, reads the answer to its end, and tells what it got.
 */

/** A request as it goes over the wire. */
export interface RawRequest {
  bytes: Uint8Array
}

/** The answer to a request. */
export interface RawAnswer {
  status: number
  bytes: number
  /** The first part of the answer, for messages. */
  head: string
}

const { port } = workerData as { port: number }
let socket: Socket | undefined
let left: Buffer = Buffer.alloc(0)
let wake = (): void => {}

function connected(): Socket {
  if (socket && !socket.destroyed && socket.writable) return socket
  left = Buffer.alloc(0)
  socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  socket.on('data', (chunk) => {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk])
    wake()
  })
  socket.on('close', () => wake())
  socket.on('error', () => {})
  return socket
}

/** Sends a request. On a connection that the server was just closing, as it does with idle ones, it is sent again. */
async function ask(request: RawRequest): Promise<RawAnswer> {
  const isOld = socket !== undefined && !socket.destroyed && socket.writable
  const answer = await exchange(request)
  return isOld && answer.status === 0 && answer.bytes === 0 ? exchange(request) : answer
}

async function exchange({ bytes }: RawRequest): Promise<RawAnswer> {
  const at = connected()
  at.write(bytes)
  for (;;) {
    const whole = wholeAnswer()
    if (whole) return whole
    if (at.destroyed || at.readableEnded) {
      const head = left.toString('latin1', 0, 300)
      left = Buffer.alloc(0)
      return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), bytes: head.length, head }
    }
    await new Promise<void>((resolve) => (wake = resolve))
  }
}

/** Takes one whole answer out of what has come; undefined while it is not whole. */
function wholeAnswer(): RawAnswer | undefined {
  const end = left.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = left.toString('latin1', 0, end)
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  const isChunked = /^transfer-encoding: chunked/im.test(head)
  const last = left.indexOf('0\r\n\r\n', end + 4)
  const bodyEnd = isChunked ? (last < 0 ? Infinity : last + 5) : end + 4 + Number(length ?? 0)
  if (left.length < bodyEnd) return undefined
  const answer = { status, bytes: bodyEnd, head: left.toString('utf8', 0, Math.min(bodyEnd, 400)) }
  left = left.subarray(bodyEnd)
  return answer
}

parentPort!.on('message', (request: RawRequest) => {
  void ask(request).then((answer) => parentPort!.postMessage(answer))
})
