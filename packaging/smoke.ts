/**
 * `node packaging/smoke.ts build/appsvc-linux-x64`: tests the packaged executable on its own. It is copied into an empty
 * directory and run with an empty environment: no PATH, no HOME. Prints a line per step; the last line is
 * `N passed, N failed`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { s3Environment, startS3 } from '../test/support/s3.ts'

/** A command that takes longer is considered to hang. */
const DEADLINE_MS = 120_000
/** A user id without a name, a home directory or files. */
const NOBODY = 54_321

const IN_APP_MESSAGE = {
  target: { broadcast: true },
  template: 'welcome',
  content: { Title: 'Hello from the smoke test', Text: 'It works' },
  presentedWhen: 'immediately',
  ttl: { expiresIn: 1, units: 'd' },
}

interface Run {
  environment?: Record<string, string>
  uid?: number
}

const GIVEN = process.argv[2] ?? 'build/appsvc-linux-x64'
const directory = mkdtempSync(join(tmpdir(), 'appsvc-smoke-'))
chmodSync(directory, 0o755)
const program = join(directory, 'appsvc')
copyFileSync(GIVEN, program)
chmodSync(program, 0o755)
const children = new Set<ChildProcess>()

function start(args: string[], cwd: string, { environment = {}, uid }: Run = {}): ChildProcess {
  const identity = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn(program, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], ...identity })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

/** Thrown by a step that this machine does not support. */
class Skipped extends Error {}

function unshareFlags(): string[] {
  return process.getuid?.() === 0 ? ['--mount'] : ['--map-root-user', '--mount']
}

/** Starts the program with its output on a full disk. */
function startOnFullDisk(args: string[], cwd: string): ChildProcess {
  const full = openSync('/dev/full', 'w')
  const child = spawn(program, args, { cwd, env: {}, stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  return child
}

/**
 * Starts the program in a mount namespace of its own, in which the temporary directories and the working directory are
 * mounted `noexec`. /mnt gives access to the program and to data that is checked afterwards. `after` is run after the
 * program; its output follows `left:`.
 */
function startWithoutTemporary(args: string[], after = 'true'): ChildProcess {
  const inside = args.map((word) => `'${word.replaceAll(directory, '/mnt')}'`).join(' ')
  const script = [
    'set -e',
    `mount --bind '${directory}' /mnt`,
    `sed -i 's#${directory}#/mnt#' /mnt/code/settings.yaml`,
    'for folder in /var/tmp /dev/shm /tmp; do mount -t tmpfs -o noexec,size=16m tmpfs $folder; done',
    'cd /tmp',
    'set +e',
    `env -i /mnt/appsvc ${inside}`,
    'status=$?',
    `echo "left: $(${after})"`,
    'exit $status',
  ].join('\n')
  const child = spawn('unshare', [...unshareFlags(), 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

/** The exit code and output of the process; it is killed if it takes too long. */
async function ended(child: ChildProcess): Promise<{ status: number | NodeJS.Signals | null; text: string }> {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  const status = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  clearTimeout(deadline)
  return { status, text }
}

function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

function emptyDirectory(name: string, owner?: number): string {
  const path = join(directory, name)
  mkdirSync(path)
  if (owner !== undefined) chownSync(path, owner, owner)
  return path
}

/** Runs a command next to the server of `cwd`. Returns what it prints with `--json`; throws if it fails. */
async function command<T>(args: string[], cwd: string): Promise<T> {
  const { status, text } = await ended(start([...args, '--json'], cwd))
  check(status === 0, `${args.join(' ')} ended with ${status}: ${text}`)
  // The output includes notes from standard error.
  return JSON.parse(text.split('\n').find((line) => line.startsWith('{'))!) as T
}

/** The fields of the output of `serve --json` that are used here. */
interface Ready {
  listening: string
  /** URL of the page of the stand-ins; with `--sandbox` only. */
  sandbox?: string
}

/** Starts the server, waits for /healthz, calls `look`, stops it with SIGTERM. Returns the time (ms) from start to healthy. */
async function serve(
  cwd: string,
  run?: Run,
  flags: string[] = [],
  look?: (ready: Ready) => Promise<void>,
): Promise<number> {
  const begun = performance.now()
  const server = start(['serve', '--port', '0', '--json', ...flags], cwd, run)
  const end = ended(server)
  const ready = await readiness(server)
  if (ready === undefined) {
    const { status, text } = await end
    throw new Error(`ended with ${status}: ${text}`)
  }
  const healthy = await until(async () => (await fetch(`${ready.listening}/healthz`)).status === 200)
  check(healthy, `${ready.listening}/healthz does not answer 200`)
  const took = performance.now() - begun
  await look?.(ready)
  server.kill('SIGTERM')
  const { status, text } = await end
  check(status === 0, `SIGTERM ends it with ${status}: ${text}`)
  return took
}

/** The output of a server that is ready; undefined if it ends before. */
async function readiness(server: ChildProcess): Promise<Ready | undefined> {
  for await (const line of createInterface({ input: server.stdout! })) {
    if (line.startsWith('{')) return JSON.parse(line) as Ready
  }
  return undefined
}

async function textOf(url: string, request?: RequestInit): Promise<string> {
  const answer = await fetch(url, request)
  const text = await answer.text()
  check(answer.ok, `${url} answers ${answer.status}: ${text.slice(0, 200)}`)
  return text
}

async function until(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + DEADLINE_MS
  while (performance.now() < deadline) {
    if (await condition().catch(() => false)) return true
    await sleep(20)
  }
  return false
}

async function fastest(times: number, run: (n: number) => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < times; n++) best = Math.min(best, await run(n))
  return best
}

/**
 * Compares a duration (ms) with that of an empty Node program on this machine. Informational: a slow machine does not
 * fail the test.
 */
async function compared(took: number): Promise<string> {
  const plain = await fastest(3, async () => {
    const begun = performance.now()
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
    return performance.now() - begun
  })
  return `${Math.round(took)} ms, ${(took / plain).toFixed(1)} times what plain Node takes`
}

const steps: Record<string, () => Promise<string | undefined>> = {
  async 'says what it is made of, as the bill beside it does'() {
    const cwd = emptyDirectory('bill')
    const { status, text } = await ended(start(['version', '--sbom'], cwd))
    check(status === 0, `it ended with ${status}: ${text}`)
    check(text === readFileSync(`${GIVEN}.cdx.json`, 'utf8'), 'the bill inside is another than the one beside it')
    const { components } = JSON.parse(text) as { components: { name: string }[] }
    const names = new Set(components.map(({ name }) => name))
    for (const name of ['better-sqlite3', 'pg', 'preact', `node-linux-${process.arch}`]) {
      check(names.has(name), `${name} is missing in the bill`)
    }
    for (const name of ['mocha', 'typescript'])
      check(!names.has(name), `${name} is in the bill, and not in the program`)
    const sums = readFileSync(join(dirname(GIVEN), 'SHA256SUMS'), 'utf8')
    const digest = createHash('sha256').update(readFileSync(GIVEN)).digest('hex')
    check(sums.includes(`${digest}  ${basename(GIVEN)}\n`), 'SHA256SUMS has another digest')
    return `${components.length} packages`
  },

  async 'says its version'() {
    const cwd = emptyDirectory('version')
    const took = await fastest(3, async () => {
      const begun = performance.now()
      const { status, text } = await ended(start(['--version'], cwd))
      check(status === 0 && text.startsWith('appsvc '), `ended with ${status}: ${text}`)
      return performance.now() - begun
    })
    return compared(took)
  },
  async 'does not run what NODE_OPTIONS names'() {
    const cwd = emptyDirectory('options')
    const script = join(cwd, 'foreign.js')
    writeFileSync(script, 'console.log("foreign code"); process.exit(3)')
    const { status, text } = await ended(
      start(['--version'], cwd, { environment: { NODE_OPTIONS: `--require ${script}` } }),
    )
    check(status === 0 && !text.includes('foreign'), `ended with ${status}: ${text}`)
    return undefined
  },
  async 'runs the demo: demo --once'() {
    const { status, text } = await ended(start(['demo', '--once'], emptyDirectory('demo')))
    check(status === 0, `ended with ${status}:\n${text}`)
    return undefined
  },
  async 'serves from an empty directory, and SIGTERM ends it with status 0'() {
    const took = await fastest(3, (n) => serve(emptyDirectory(`serve${n}`)))
    return `healthy after ${await compared(took)}`
  },
  async 'serves again from the same data directory'() {
    return `healthy after ${Math.round(await serve(join(directory, 'serve0')))} ms`
  },
  async 'serves the page of the sandbox'() {
    await serve(emptyDirectory('page'), {}, ['--sandbox'], async ({ sandbox }) => {
      const answer = await fetch(`${sandbox}/`)
      const text = await answer.text()
      check(answer.status === 200 && text.includes('<html'), `${answer.status}: ${text.slice(0, 200)}`)
    })
    return undefined
  },
  async 'serves the page that shows in-app messages, with all files that it loads'() {
    await serve(emptyDirectory('renderer'), {}, [], async ({ listening }) => {
      const page = await textOf(`${listening}/iar`)
      const files = [...page.matchAll(/(?:src|href)="([^":]+\.(?:js|css))"/g)].map(([, file]) => file!)
      check(files.length === 2, `loads ${files.length} files: ${page}`)
      for (const file of files) check((await textOf(new URL(file, `${listening}/iar`).href)).length > 1000, file)
    })
    return undefined
  },
  async 'serves the browser client, with the digests that it lists'() {
    await serve(emptyDirectory('sdk'), {}, [], async ({ listening }) => {
      const { files } = JSON.parse(await textOf(`${listening}/sdk/v1/`)) as {
        files: { path: string; versioned: string; integrity: string }[]
      }
      check(files.length === 2, `lists ${files.length} files`)
      for (const { path, versioned, integrity } of files) {
        const text = await textOf(listening + path)
        const digest = createHash('sha384').update(text).digest('base64')
        check(integrity === `sha384-${digest}`, `${path} has the digest ${digest}`)
        check((await textOf(listening + versioned)) === text, `${versioned} is another file`)
      }
    })
    return undefined
  },
  async 'creates a template from a starter, a device syncs the message, and web pages get their public key'() {
    const cwd = emptyDirectory('in-app')
    await serve(cwd, {}, ['--sandbox'], async ({ listening }) => {
      const { apiKey, secretKey } = await command<{ apiKey: string; secretKey: string }>(
        ['apps', 'create', 'Bakery'],
        cwd,
      )
      await command(['gateways', 'set', 'Bakery', 'web'], cwd)
      await command(['templates', 'create', 'Bakery', '--uid', 'welcome', '--starter', 'welcome'], cwd)
      await command(['templates', 'preview', 'Bakery', 'welcome', '--html', 'welcome.html'], cwd)
      const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:${secretKey}`).toString('base64')}` }
      const config = JSON.parse(await textOf(`${listening}/push/v1/web/config`, { headers })) as { publicKey: string }
      check(Buffer.from(config.publicKey, 'base64url').length === 65, `the public key is ${config.publicKey}`)

      const event = { type: 'k.inApp.statusUpdated', uuid: '1', timestamp: Date.now(), data: { consented: true } }
      const body = JSON.stringify([{ ...event, userId: 'phone' }])
      await textOf(`${listening}/events/v1/app-installs/phone/events`, { method: 'POST', headers, body })
      writeFileSync(join(cwd, 'message.json'), JSON.stringify(IN_APP_MESSAGE))
      await command(['notify', '--in-app', 'message.json'], cwd)
      const synced = await until(async () => {
        const messages = await textOf(`${listening}/push/v1/users/phone/messages`, { headers })
        return messages.includes('Hello from the smoke test')
      })
      check(synced, 'the device does not get the message')
    })
    return undefined
  },
  async 'serves as a user without name and home directory'() {
    const root = process.getuid?.() === 0
    await serve(emptyDirectory('nobody', root ? NOBODY : undefined), root ? { uid: NOBODY } : {})
    return undefined
  },
  async 'reports that its output could not be written to a full disk'() {
    const cwd = emptyDirectory('full')
    for (const words of [['--version'], ['--help'], ['apps', '--help'], ['routes']]) {
      const { status, text } = await ended(startOnFullDisk(words, cwd))
      check(status === 69, `${words.join(' ')} ended with ${status}: ${text}`)
      check(/^appsvc: the result could not be written: ENOSPC.*\n$/.test(text), `${words.join(' ')} says ${text}`)
    }
    return undefined
  },
  async 'runs where every temporary directory is noexec, with the data directory of a flag or a settings file'() {
    const namespaces = await ended(spawn('unshare', [...unshareFlags(), 'true'], { stdio: ['ignore', 'pipe', 'pipe'] }))
    if (namespaces.status !== 0) throw new Skipped(`no mount namespaces here: ${namespaces.text.trim()}`)
    // The disk with the executable is unchanged; the temporary directories are replaced inside the namespace only.
    const data = emptyDirectory('code')
    const settings = join(data, 'settings.yaml')
    writeFileSync(settings, `dataDir: ${join(data, 'by-file')}\n`)
    const first = await ended(startWithoutTemporary(['apps', 'create', 'A', '--data-dir', join(data, 'by-flag')]))
    check(first.status === 0, `--data-dir: ended with ${first.status}: ${first.text}`)
    const second = await ended(startWithoutTemporary(['apps', 'create', 'A', '--config', settings]))
    check(second.status === 0, `settings file: ended with ${second.status}: ${second.text}`)

    // No place at all: expect a message, the exit code for an invalid configuration, and no empty data directory.
    const nowhere = await ended(
      startWithoutTemporary(['apps', 'create', 'A', '--data-dir', '/dev/shm/a/b'], 'ls -A /dev/shm'),
    )
    check(nowhere.status === 78, `nowhere: ended with ${nowhere.status}: ${nowhere.text}`)
    check(nowhere.text.includes('cannot load SQLite') && !nowhere.text.includes('inside appsvc'), nowhere.text)
    check(/left: *$/m.test(nowhere.text), `leaves files behind: ${nowhere.text}`)
    return undefined
  },
  async 'backs up to a file and to an S3-compatible store, and restores a database that is held'() {
    const cwd = emptyDirectory('backup')
    const s3 = await startS3()
    try {
      const environment = { ...s3Environment, APPSVC_BACKUP_ENDPOINT: s3.url, APPSVC_BACKUP_PATH_STYLE: 'true' }
      const answerTo = async (args: string[]) => {
        const { status, text } = await ended(start([...args, '--json'], cwd, { environment }))
        check(status === 0, `${args.join(' ')} ended with ${status}: ${text}`)
      }
      await command(['apps', 'create', 'A'], cwd)
      for (const [place, data] of [
        ['copy.sqlite', 'from-file'],
        ['s3://bucket/smoke', 'from-s3'],
      ] as const) {
        await answerTo(['backup', place])
        await answerTo(['restore', place, '--data-dir', data, '--key-file', 'data/master.key'])
        const { held } = await command<{ held: object | null }>(['status', '--data-dir', data], cwd)
        check(held !== null, `what was restored from ${place} is not held`)
      }
      // The job of the server runs in a thread of its own.
      s3.objects.clear()
      await serve(cwd, { environment: { ...environment, APPSVC_BACKUP_TO: 's3://bucket/server' } }, [], async () => {
        const isStored = () => [...s3.objects.keys()].some((key) => key.endsWith('.sqlite.json'))
        check(await until(async () => isStored()), 'the server has stored no backup')
      })
    } finally {
      await s3.close()
    }
    return undefined
  },
  async 'leaves no files in the temporary directory'() {
    const temporary = emptyDirectory('temporary')
    await serve(emptyDirectory('clean'), { environment: { TMPDIR: temporary } })
    const left = readdirSync(temporary)
    check(left.length === 0, left.join(', '))
    return undefined
  },
}

let passed = 0
let failed = 0
for (const [name, run] of Object.entries(steps)) {
  try {
    const note = await run()
    passed++
    process.stdout.write(`  ok    ${name}${note === undefined ? '' : `: ${note}`}\n`)
  } catch (error) {
    if (error instanceof Skipped) {
      process.stdout.write(`  SKIP  ${name}: ${error.message}\n`)
      continue
    }
    failed++
    process.stdout.write(`  FAIL  ${name}: ${(error as Error).message}\n`)
  }
  for (const child of children) child.kill('SIGKILL')
}
rmSync(directory, { recursive: true, force: true })
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
