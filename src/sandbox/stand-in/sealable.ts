import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'

export interface Sealable {
  /** Pass this to the HTTP/2 server instead of the socket. */
  stream: Duplex
  /** Writes these bytes between two frames, drops whatever the session still writes, and ends the connection. */
  sealWith: (frame: Buffer) => void
}

/**
 * A socket whose writes pass through JavaScript. Node's HTTP/2 sessions write natively and replace a last stream id of
 * 0 in GOAWAY by the newest one, so a GOAWAY that says "I processed nothing" must bypass the session. Slower than the
 * socket, so it is used only while a plan needs it.
 */
export function sealable(socket: TLSSocket): Sealable {
  let sealed = false
  const stream = new Duplex({
    read: () => void socket.resume(),
    write(chunk: Buffer, _encoding, done) {
      if (sealed) return done()
      socket.write(chunk, done)
    },
    final(done) {
      if (!sealed) socket.end()
      done()
    },
    destroy(error, done) {
      if (!sealed) socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk: Buffer) => {
    if (!sealed && !stream.push(chunk)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('close', () => stream.destroy())
  return {
    stream,
    sealWith(frame) {
      if (sealed) return
      sealed = true
      socket.resume()
      // The peer closes when it has read the frame; if it does not, we do.
      socket.write(frame, () => setTimeout(() => socket.destroy(), 1000).unref())
    },
  }
}
