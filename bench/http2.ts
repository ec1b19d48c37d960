import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openNodePool } from '../src/platform/http2/node.ts'
import { openPool } from '../src/platform/http2/pool.ts'
import type { OpenPool, PushRequest } from '../src/platform/http2/types.ts'
import { type Certificate, makeCa } from '../test/support/certificates.ts'
import { type Result, table } from './support/result.ts'

/**
 * Compares our HTTP/2 client with Node's in one run with one peer: one TLS connection on loopback, 175-byte bodies, headers
 * as APNs requires them. The peer is nghttpd if it is installed, otherwise Node's own server in a child process, which then
 * limits both clients.
 */

const BODY = Buffer.alloc(175, '{"aps":{"alert":"hello"}}')
const HEADERS = {
  authorization: `bearer ${'eyJhbGciOiJFUzI1NiJ9.'.repeat(10)}`,
  'apns-topic': 'com.example.app',
  'apns-push-type': 'alert',
  'apns-priority': '10',
}
const AT_ONCE = 1000
const WARM_UP = 20_000
const ROUNDS = 3
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/**
 * Measures requests per second of both clients, and the processor time that each spends per request. Other work on the machine
 * affects the processor time least.
 */
export async function benchHttp2(): Promise<Result[]> {
  const ca = makeCa()
  const peer = await startPeer(ca.issue({ cn: 'localhost' }))
  const measured = async (open: OpenPool, count: number) => {
    const pool = open({ origin: `https://localhost:${peer.port}`, ca: [ca.certPem], maxSessions: 1 })
    const send = async (count: number) => {
      let left = count
      const worker = async () => {
        while (left-- > 0) await pool.request(requestOf(left))
      }
      const began = performance.now()
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      return (count / (performance.now() - began)) * 1000
    }
    await send(WARM_UP)
    const rounds: { rate: number; cpu: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage()
      const rate = await send(count)
      const { user, system } = process.cpuUsage(before)
      rounds.push({ rate, cpu: (user + system) / count })
    }
    await pool.close()
    // The best round counts, because other work on the machine can only make a round slower.
    return { rate: Math.max(...rounds.map(({ rate }) => rate)), cpu: Math.min(...rounds.map(({ cpu }) => cpu)) }
  }
  try {
    const ours = await measured(openPool, 150_000)
    const nodes = await measured(openNodePool, 30_000)
    return [
      {
        name: 'http2 own client',
        value: ours.rate,
        unit: 'requests/s',
        against: { name: 'node:http2', value: nodes.rate },
        note: `against ${peer.name}`,
      },
      { name: 'http2 CPU', value: ours.cpu, unit: 'us/request', against: { name: 'node:http2', value: nodes.cpu } },
    ]
  } finally {
    await peer.stop()
  }
}

function requestOf(number: number): PushRequest {
  // nghttpd serves one empty file. The token is in the query, so that each path is new to the header table.
  return { path: `/push?${number.toString(16).padStart(64, '0')}`, headers: HEADERS, body: BODY }
}

interface Peer {
  name: string
  port: number
  stop(): Promise<void>
}

async function startPeer(certificate: Certificate): Promise<Peer> {
  const hasNghttpd = spawnSync('nghttpd', ['--version'], { env: ENV }).status === 0
  return hasNghttpd ? startNghttpd(certificate) : startNodeServer(certificate)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.kill()) await once(child, 'exit')
}

async function startNghttpd({ certPem, keyPem }: Certificate): Promise<Peer> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-http2-'))
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  writeFileSync(cert, certPem)
  writeFileSync(key, keyPem)
  writeFileSync(join(directory, 'push'), '')
  const port = await freePort()
  const args = ['-a', '127.0.0.1', '-m', String(AT_ONCE), '-d', directory, String(port), key, cert]
  const child = spawn('nghttpd', args, { env: ENV, stdio: 'ignore' })
  await untilListening(port)
  const remove = () => rmSync(directory, { recursive: true })
  return { name: 'nghttpd', port, stop: () => stop(child).then(remove) }
}

async function startNodeServer(certificate: Certificate): Promise<Peer> {
  const child = fork(import.meta.filename, ['serve'])
  child.send(certificate)
  const [port] = await once(child, 'message')
  return { name: "Node's own server (install nghttp2-server for a faster peer)", port, stop: () => stop(child) }
}

/** Runs in the child process. Answers every request with an empty 200. */
function serve({ certPem, keyPem }: Certificate): void {
  const server = createSecureServer({ cert: certPem, key: keyPem, settings: { maxConcurrentStreams: AT_ONCE } })
  server.on('stream', (stream) => {
    // A response before the end of the body makes Node's client reset the stream, and Node's server takes many resets for an attack.
    stream.resume().on('end', () => stream.respond({ ':status': 200 }, { endStream: true }))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address) process.send?.(address.port)
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('no port is free')
  return address.port
}

async function untilListening(port: number): Promise<void> {
  for (const deadline = Date.now() + 5000; Date.now() < deadline; ) {
    const socket = connect(port, '127.0.0.1')
    const answered = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('nghttpd does not listen')
}

if (import.meta.main) {
  if (process.argv[2] === 'serve') process.once('message', serve)
  else console.log(table(await benchHttp2()))
}
