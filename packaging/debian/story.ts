/**
 * `node packaging/debian/story.ts build/appsvc_0.1.0_amd64.deb`: installs the Debian package into this system, as root, runs the service as its unit says,
 * sends a push with it, upgrades, removes and purges it. Not where an appsvc is installed already. Prints a line for each step; the last line is
 * `N passed, N failed`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { parseDocument } from 'yaml'
import { SETTINGS } from '../../src/config.ts'
import { environmentName } from '../../src/platform/config/settings.ts'
import { arArchive, arMembers, tarArchive } from './archive.ts'
import { type Service, serviceOf } from './unit.ts'

/** A command that takes longer is considered to hang. */
const DEADLINE_MS = 120_000

const PROGRAM = '/usr/bin/appsvc'
const SETTINGS_FILE = '/etc/appsvc.yaml'
const DATA = '/var/lib/appsvc'
const UNIT = '/usr/lib/systemd/system/appsvc.service'

const GIVEN = resolve(process.argv[2] ?? '')
const directory = mkdtempSync(join(tmpdir(), 'appsvc-story-'))
const children = new Set<ChildProcess>()
/** The settings as the operator of this story wrote them. */
let written = ''

function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

/** Runs a command to its end. Returns what it prints; throws when it ends with another status than 0. */
function run(command: string, args: string[], options: { input?: string; uid?: number; gid?: number } = {}): string {
  const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' }
  const ended = spawnSync(command, args, {
    cwd: '/',
    env: environment,
    encoding: 'utf8',
    timeout: DEADLINE_MS,
    ...options,
  })
  const text = `${ended.stdout ?? ''}${ended.stderr ?? ''}`
  check(ended.status === 0, `${command} ${args.join(' ')} ended with ${ended.status ?? ended.error?.message}: ${text}`)
  return text
}

/** Installs a file with what it depends on. apt-get may have to wait for another one. Not every write has to reach the disk here. */
function aptInstall(file: string): string {
  const options = ['DPkg::Lock::Timeout=60', 'Dpkg::Options::=--force-unsafe-io']
  return run('apt-get', [
    'install',
    '-y',
    '-q',
    '--no-install-recommends',
    ...options.flatMap((one) => ['-o', one]),
    file,
  ])
}

/** dpkg alone, which takes a third of the time of apt-get; triggers (the list of man pages) wait for the last call. */
function dpkg(...args: string[]): string {
  return run('dpkg', ['--force-unsafe-io', ...(args[0] === '--purge' ? [] : ['--no-triggers']), ...args])
}

function installedUnit(): Service {
  return serviceOf(readFileSync(UNIT, 'utf8'))
}

function identityOf(user: string): { uid: number; gid: number } {
  return { uid: Number(run('id', ['-u', user]).trim()), gid: Number(run('id', ['-g', user]).trim()) }
}

/** A command as the handbook types it: `sudo -u appsvc appsvc …`, in some directory and without any variable. */
function appsvc(args: string[], input?: string): object {
  const text = run(PROGRAM, [...args, '--json'], { ...identityOf('appsvc'), ...(input !== undefined && { input }) })
  return JSON.parse(text.split('\n').find((line) => line.startsWith('{'))!) as object
}

/** Starts a command as the user of the unit, with its variables, its directory and its umask. */
function startAs({ user, environment, workingDirectory, umask }: Service, command: string[]): ChildProcess {
  const child = spawn('/bin/sh', ['-c', `umask ${umask}; exec "$@"`, '-', ...command], {
    cwd: workingDirectory,
    env: { PATH: '/usr/bin:/bin', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identityOf(user),
  })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

/** The exit status and output of a process. */
async function ended(child: ChildProcess): Promise<{ status: number | null; text: string }> {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  const [status] = (await once(child, 'close')) as [number | null]
  clearTimeout(deadline)
  return { status, text }
}

/** Starts the service as its unit does, calls `look` with its address, and stops it as systemd does. */
async function serve(look: (address: string) => Promise<void>): Promise<void> {
  const service = installedUnit()
  const child = startAs(service, service.command)
  const end = ended(child)
  let address: string | undefined
  for await (const line of createInterface({ input: child.stdout! })) {
    address = / is listening on (http:\S+)/.exec(line)?.[1]
    if (address !== undefined) break
  }
  if (address === undefined) throw new Error(`the service does not start: ${(await end).text}`)
  await look(address)
  child.kill('SIGTERM')
  const { status, text } = await end
  check(status === 0, `SIGTERM ends the service with ${status}: ${text}`)
}

async function until(condition: () => boolean): Promise<boolean> {
  const deadline = performance.now() + DEADLINE_MS
  while (performance.now() < deadline) {
    if (condition()) return true
    await sleep(50)
  }
  return false
}

/** Starts the stand-ins of the gateways. Returns the variables that lead a server to them. */
async function startSandbox(): Promise<Record<string, string>> {
  const sandbox = startAs(installedUnit(), [PROGRAM, 'sandbox', '--json', '--dir', join(directory, 'sandbox')])
  const [line] = (await once(createInterface({ input: sandbox.stdout! }), 'line')) as [string]
  return (JSON.parse(line) as { environment: Record<string, string> }).environment
}

/** Edits the settings file as an operator does: removes the # in front of a setting, and writes another value behind its name. */
function changeSettings(values: Readonly<Record<string, string>>): void {
  let text = readFileSync(SETTINGS_FILE, 'utf8')
  for (const [name, value] of Object.entries(values)) {
    const [section, last] = name.includes('.') ? name.split('.') : ['', name]
    const from = section === '' ? 0 : text.indexOf(`\n${section}:\n`)
    const line = new RegExp(`^#?( *)${last}: .*$`, 'm')
    check(from >= 0 && line.test(text.slice(from)), `${SETTINGS_FILE} has no line for ${name}`)
    text = text.slice(0, from) + text.slice(from).replace(line, `$1${last}: ${JSON.stringify(value)}`)
  }
  writeFileSync(SETTINGS_FILE, text)
  written = text
}

/** The names of settings that variables set. */
function settingsOf(environment: Record<string, string>): Record<string, string> {
  const names = Object.keys(SETTINGS).filter((name) => environmentName(name) in environment)
  return Object.fromEntries(names.map((name) => [name, environment[environmentName(name)]!]))
}

/** The same package in a later version: only its control file differs. */
function laterPackage(): string {
  const control = join(directory, 'control')
  run('dpkg-deb', ['--control', GIVEN, control])
  const files = readdirSync(control).map((path) => {
    const content = readFileSync(join(control, path), 'utf8').replace(/^Version: .*$/m, '$&+later')
    return { path, mode: statSync(join(control, path)).mode & 0o777, content: Buffer.from(content) }
  })
  const members = arMembers(readFileSync(GIVEN)).map(([name, content]): [string, Buffer] => [
    name,
    name === 'control.tar.gz' ? gzipSync(tarArchive(files, 0)) : content,
  ])
  const file = join(directory, 'later.deb')
  writeFileSync(file, arArchive(members, 0))
  return file
}

/** The report of the push that the story sends. */
function reportOfFirst() {
  return appsvc(['notifications', 'show', '1']) as { title: string; counts: { accepted: number } }
}

const steps: Record<string, () => Promise<string | undefined> | string | undefined> = {
  'installs: a user, a data directory of its own, a settings file that nobody else reads'() {
    const said = aptInstall(GIVEN)
    check(said.includes('systemctl start appsvc'), `it does not say how to go on: ${said}`)
    const { uid, gid } = identityOf('appsvc')
    const data = statSync(DATA)
    check(
      data.uid === uid && data.gid === gid && (data.mode & 0o777) === 0o700,
      `${DATA} has mode ${data.mode.toString(8)}`,
    )
    const settings = statSync(SETTINGS_FILE)
    check(
      settings.gid === gid && (settings.mode & 0o777) === 0o640,
      `${SETTINGS_FILE} has mode ${settings.mode.toString(8)}`,
    )
    const errors = parseDocument(readFileSync(SETTINGS_FILE, 'utf8')).errors
    check(errors.length === 0, String(errors))
    check(existsSync('/etc/systemd/system/multi-user.target.wants/appsvc.service'), 'the unit is not enabled')
    if (existsSync('/usr/bin/systemd-analyze')) run('systemd-analyze', ['verify', UNIT])
    return run(PROGRAM, ['--version']).trim()
  },

  async 'sends a push, with settings and commands as the handbook has them'() {
    changeSettings({ port: '0', ...settingsOf(await startSandbox()) })
    await serve(async (address) => {
      const keys = appsvc(['apps', 'create', 'Bakery']) as { apiKey: string; secretKey: string }
      const account = join(directory, 'sandbox/service-account.json')
      appsvc(['gateways', 'set', '--app', 'Bakery', 'android', '--service-account', account])
      const body = [
        { type: 'k.push.deviceRegistered', uuid: '1', timestamp: Date.now(), data: { token: 'phone', type: 2 } },
      ]
      const answer = await fetch(`${address}/events/v1/app-installs/phone/events`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${keys.apiKey}:${keys.secretKey}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      check(answer.ok, `the phone is refused with ${answer.status}`)
      appsvc(
        ['notify'],
        JSON.stringify({ target: { broadcast: true }, content: { title: 'Fresh bread', message: 'Until six.' } }),
      )
      const isSent = await until(() => reportOfFirst().counts.accepted === 1)
      check(isSent, `the push is not sent: ${JSON.stringify(reportOfFirst())}`)
    })
    const others = readdirSync(DATA).filter((name) => (statSync(join(DATA, name)).mode & 0o077) !== 0)
    check(others.length === 0, `other users may read ${others.join(', ')}`)
    return undefined
  },

  async 'says what is wrong with the settings, and ends with 78'() {
    const good = written
    for (const [from, to, words] of [
      [/^port: .*$/m, 'port: many', `port in ${SETTINGS_FILE} must be an integer`],
      [/^port: .*$/m, 'prot: 8080', `prot in ${SETTINGS_FILE} is not a setting; did you mean port?`],
      [/^port: .*$/m, 'port: [1', `cannot read the configuration file ${SETTINGS_FILE}`],
    ] as const) {
      writeFileSync(SETTINGS_FILE, good.replace(from, to))
      const service = installedUnit()
      const { status, text } = await ended(startAs(service, service.command))
      check(status === 78 && text.includes(words), `with "${to}" it ends with ${status}: ${text}`)
    }
    writeFileSync(SETTINGS_FILE, good)
    return undefined
  },

  async 'is upgraded over a filled directory, and leaves the settings alone'() {
    dpkg('--install', laterPackage())
    const version = run('dpkg-query', ['--show', 'appsvc']).trim().split('\t')[1]!
    check(version.endsWith('+later'), `version ${version} is installed`)
    check(readFileSync(SETTINGS_FILE, 'utf8') === written, `${SETTINGS_FILE} was changed`)
    await serve(async () => {
      const { title, counts } = reportOfFirst()
      check(
        title === 'Fresh bread' && counts.accepted === 1,
        `the push is another: ${JSON.stringify({ title, counts })}`,
      )
    })
    return version
  },

  'is removed, and leaves data and settings'() {
    const said = dpkg('--remove', 'appsvc')
    check(!existsSync(PROGRAM) && !existsSync(UNIT), 'the program or its unit is still there')
    check(existsSync(join(DATA, 'appsvc.sqlite')) && existsSync(join(DATA, 'master.key')), `${DATA} is not whole`)
    check(readFileSync(SETTINGS_FILE, 'utf8') === written, `${SETTINGS_FILE} was changed`)
    check(said.includes(`leaves ${DATA} and ${SETTINGS_FILE}`), `it does not say so: ${said}`)
    return undefined
  },

  'is purged, and says what it deletes'() {
    const said = dpkg('--purge', 'appsvc')
    for (const name of ['appsvc.sqlite', 'master.key'])
      check(said.includes(`deleting ${DATA}/${name}`), `${name} is not named: ${said}`)
    const left = [DATA, SETTINGS_FILE, '/etc/systemd/system/multi-user.target.wants/appsvc.service'].filter((one) =>
      existsSync(one),
    )
    check(left.length === 0, `${left.join(', ')} is still there`)
    check(
      said.includes('the user appsvc stays') && identityOf('appsvc').uid > 0,
      `the user is gone, or it does not say so: ${said}`,
    )
    return undefined
  },
}

/** The reason for which the steps cannot run here; undefined where they can. */
function obstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can install a package'
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get'
  return undefined
}

/** The places where an appsvc is on this machine already. Purging would delete them. */
function traces(): string[] {
  return [PROGRAM, SETTINGS_FILE, DATA].filter((one) => existsSync(one))
}

async function play(): Promise<{ passed: number; failed: number }> {
  let passed = 0
  for (const [name, step] of Object.entries(steps)) {
    const begun = performance.now()
    try {
      const note = await step()
      passed++
      const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`
      process.stdout.write(`  ok    ${name}: ${note === undefined ? took : `${note}, ${took}`}\n`)
    } catch (error) {
      // A later step needs what this one should have left.
      process.stdout.write(`  FAIL  ${name}: ${(error as Error).message}\n`)
      return { passed, failed: 1 }
    }
  }
  return { passed, failed: 0 }
}

const hadUser = spawnSync('id', ['appsvc']).status === 0

/** Leaves the system as it was, also after a failure. */
function cleanUp(): void {
  for (const child of children) child.kill('SIGKILL')
  spawnSync('dpkg', ['--purge', 'appsvc'], { stdio: 'ignore' })
  if (!hadUser) spawnSync('userdel', ['appsvc'], { stdio: 'ignore' })
  rmSync(directory, { recursive: true, force: true })
}

const reason = obstacle()
if (reason !== undefined) {
  process.stdout.write(`  SKIP  the story of the package: ${reason}\n0 passed, 0 failed\n`)
} else if (traces().length > 0) {
  process.stdout.write(
    `  FAIL  ${traces().join(', ')}: there is an appsvc on this machine, which is not touched\n0 passed, 1 failed\n`,
  )
  process.exitCode = 1
} else {
  // The user of the service reads the credentials of the stand-ins here, and apt-get the packages.
  chmodSync(directory, 0o777)
  const { passed, failed } = await play().finally(cleanUp)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  process.exitCode = failed === 0 ? 0 : 1
}
