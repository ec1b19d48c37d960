import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Certificate } from '../../test/support/certificates.ts'
import { findProgram } from '../../test/support/needs.ts'
import { startNghttpd } from '../../test/support/nghttpd.ts'

/** A server that answers every POST with an empty 200. */
export interface Peer {
  name: string
  port: number
  stop(): Promise<void>
}

/**
 * Starts nghttpd if it is installed, otherwise Node's own server in a child process, which then limits every client.
 * It allows `streams` at a time.
 */
export async function startPeer(certificate: Certificate, streams: number): Promise<Peer> {
  return findProgram('nghttpd') !== undefined ? serveFile(certificate, streams) : startNodeServer(certificate, streams)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.kill()) await once(child, 'exit')
}

async function serveFile({ certPem, keyPem }: Certificate, streams: number): Promise<Peer> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-http2-'))
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  writeFileSync(cert, certPem)
  writeFileSync(key, keyPem)
  writeFileSync(join(directory, 'push'), '')
  const { port, stop } = await startNghttpd(['-m', String(streams), '-d', directory], [key, cert])
  const remove = () => rmSync(directory, { recursive: true })
  return { name: 'nghttpd', port, stop: () => stop().then(remove) }
}

async function startNodeServer(certificate: Certificate, streams: number): Promise<Peer> {
  const child = fork(import.meta.filename, [])
  child.send({ ...certificate, streams })
  const [port] = await once(child, 'message')
  return { name: "Node's own server (install nghttp2-server for a faster peer)", port, stop: () => stop(child) }
}

/** Runs in the child process. Answers every request with an empty 200. */
function serve({ certPem, keyPem, streams }: Certificate & { streams: number }): void {
  const server = createSecureServer({ cert: certPem, key: keyPem, settings: { maxConcurrentStreams: streams } })
  server.on('stream', (stream) => {
    // A response before the end of the body makes Node's client reset the stream, and Node's server takes many resets for an attack.
    stream.resume().on('end', () => stream.respond({ ':status': 200 }, { endStream: true }))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address) process.send?.(address.port)
  })
}

/** The result of one run of a client: requests per second, and its processor time per request (µs). */
export interface Load {
  rate: number
  cpu: number
}

/**
 * Sends `count` equal requests with h2load, the load generator of nghttp2, over one connection on one thread. Undefined if
 * it is not installed. Throws if a request fails.
 */
export function runH2load(
  url: string,
  request: { headers: Record<string, string>; body: Buffer; streams: number; count: number },
): Load | undefined {
  if (spawnSync('h2load', ['--version']).status !== 0) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'bench-h2load-'))
  try {
    const file = join(directory, 'body')
    writeFileSync(file, request.body)
    const headers = Object.entries(request.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const args = ['-n', String(request.count), '-c1', '-t1', '-m', String(request.streams), '-d', file, ...headers, url]
    // The shell's `time` tells the processor time of the child.
    const { stdout, stderr } = spawnSync('bash', ['-c', 'time h2load "$@"', 'bash', ...args], {
      env: { ...process.env, TIMEFORMAT: 'cpu %U %S' },
      encoding: 'utf8',
    })
    const rate = Number(/finished in .*?, ([\d.]+) req\/s/.exec(stdout)?.[1])
    const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr) ?? []
    if (!stdout.includes(` ${request.count} succeeded`)) throw new Error(`h2load failed: ${stdout}${stderr}`)
    return { rate, cpu: ((Number(user) + Number(system)) * 1e6) / request.count }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

if (import.meta.main) process.once('message', serve)
