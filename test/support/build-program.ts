/**
 * `node build-program.ts <folder>`: the bundle of the sources in `<folder>/dist` and, in `<folder>/compiled`, what Node compiles of it
 * for a server and its threads. built-program.ts starts it once in a run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bundle } from '../../packaging/bundle.ts'
import { compressQuickly } from './compress-quickly.ts'

const folder = process.argv[2]!
const dist = join(folder, 'dist')
await bundle(dist, { compress: compressQuickly })

// Node writes its cache when a thread ends in order, with the functions that it has used by then. Tests kill servers, or end them early.
const argv = ['serve', '--sandbox', '--json', '--port', '0', '--data-dir', join(folder, 'data')]
const server = spawn(process.execPath, [join(dist, 'appsvc.cjs'), ...argv], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    APPSVC_HTTP_THREADS: '2',
    APPSVC_LOG_LEVEL: 'error',
  },
})
const ended = once(server, 'exit')
await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended])
server.kill('SIGTERM')
const [code] = (await ended) as [number | null]
if (code !== 0) throw new Error(`the bundle's server ended with ${code}`)
