/**
 * A reader of the handbook: types the commands of a page in a directory of their own, with a server beside them when the page starts
 * one, and with their own keys in the place of the printed ones.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { builtProgram } from '../built-program.ts'
import { eventually } from '../eventually.ts'
import { isAsShown } from './compare.ts'
import type { Step } from './page.ts'
import { STAYS } from './stays.ts'

/**
 * The ways to run the program: quick, from the sources, and for a process that stays up the bundle of the run, which
 * the executable holds too.
 */
export interface Program {
  /** The directory of everything that this made. */
  dir: string
  /** Words of a shell that stand for `appsvc` with arguments, for what stays up. */
  command: string
  /** A definition of the function `appsvc` for shells. */
  definition: string
  end(): void
}

/** The packaged executable to try the handbook with, in the place of the sources: `npm run package`, then the path. */
export const EXECUTABLE = process.env.APPSVC_HANDBOOK_EXECUTABLE

export async function startProgram(): Promise<Program> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-handbook-'))
  const remove = () => rmSync(dir, { recursive: true, force: true })
  if (EXECUTABLE !== undefined) {
    const command = quoted(EXECUTABLE)
    putInPath(dir, command)
    return { dir, command, definition: `appsvc() { ${command} "$@"; }`, end: remove }
  }
  const host = fork(join(import.meta.dirname, 'host.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [port] = (await once(host, 'message')) as [number]
  // Words of the shell itself where they do: each program that it starts costs as much as the command.
  const definition = `appsvc() {
    local job='${dir}/job-'$BASHPID-$RANDOM$RANDOM name code='' host
    printf '%s\\0' "$PWD" "$@" > "$job.argv"
    for name in $(compgen -e); do printf '%s=%s\\0' "$name" "\${!name}"; done > "$job.env"
    if [ -c /dev/stdin ]; then : > "$job.stdin"; else cat > "$job.stdin"; fi
    exec {host}<>/dev/tcp/127.0.0.1/${port} || return 70
    printf '%s\\n' "$job" >&$host
    read -r code <&$host || true
    exec {host}>&-
    if [ -s "$job.stdout" ]; then cat "$job.stdout"; fi
    if [ -s "$job.stderr" ]; then cat "$job.stderr" >&2; fi
    return "\${code:-70}"
  }`
  const command = `${quoted(process.execPath)} ${quoted(builtProgram())}`
  putInPath(dir, command)
  return {
    dir,
    command,
    definition,
    end() {
      host.kill('SIGKILL')
      remove()
    },
  }
}

/** Makes `appsvc` a program in the PATH of readers, as it is in theirs: its texts about itself depend on that. */
function putInPath(dir: string, command: string): void {
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin/appsvc'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
}

/** Helpers for hidden commands: the things that a page needs before its first step. */
const HELPERS = `
# Reads on when it has what it shows: \`pipefail\` would make a failure of a program that prints more than fits into a pipe.
head() { command head "$@" && cat > /dev/null; }
new_app() {
  local made
  made=$(appsvc apps create "$1" --json)
  made_key() { sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" <<< "$made"; }
  API_KEY=$(made_key apiKey) SERVER_KEY=$(made_key serverKey) SECRET_KEY=$(made_key secretKey) LINK_HOST=$(made_key linkHost)
}
new_phone() {
  local user=''
  if [ -n "\${2-}" ]; then
    user='{"type": "k.stats.userAssociated", "uuid": "u-'$1-$RANDOM'", "timestamp": '$(date +%s000)', "data": {"id": "'$2'"}},'
  fi
  curl -u "$API_KEY:$SECRET_KEY" localhost:8080/events/v1/app-installs/$1/events -H 'Content-Type: application/json' -d '['"$user"'
    {"type": "k.push.deviceRegistered", "uuid": "t-'$1-$RANDOM$RANDOM'", "timestamp": '$(date +%s000)', "data": {"token": "'$1'", "type": 2}}]'
}
curl() { command curl -s --fail-with-body "$@"; }
npx() { shift; appsvc "$@"; }
`

const LISTENING = /listening on (http:\/\/\S+)|"listening":"(http:[^"]+)"/
const STAND_INS = /(?:Stand-ins for the push gateways|Received messages): (http:\S+)|"sandbox":"(http:[^"]+)"/
/** Commands that only read. They may be typed until they say what the page shows: workers need a moment. */
const READS =
  /^(?:npx )?appsvc (?:[\w-]+ )*(?:show|list|trace|status|recipients|subscriptions|attempts|imports|check|tail)\b|^curl (?!.*(?:-X|-d|--data|-F|-T)\b)/
/** A value that was printed to somebody else: the reader puts their own in its place. */
const PRINTED = /^([A-Z_]+)=(?:((?:ak|sk|dk|rk)_)[\w-]{43}|([a-z0-9]{11}\.localhost:8080)|(http:\/\/127\.0\.0\.1:\d+))$/

const MOST_BETWEEN_LOOKS_MS = 1000
/** The bound of `see`. */
const SETTLED_MS = 2500

/** Exports of other services, for pages on moving in. */
const SAMPLES = join(import.meta.dirname, '../../domain/imports/exports')

/** The server in the addresses of examples. */
const PUBLIC = /https:\/\/(?:push|appsvc)\.example\.com/g

export interface Reader {
  readonly dir: string
  do(step: Step): Promise<void>
  /** The present output of a command, in the words of a page; undefined for a command that prints nothing of interest. */
  see(step: Step): Promise<string | undefined>
  /** Runs commands and gives their output, whatever came of them. */
  type(commands: string): Promise<{ code: number; output: string }>
  end(): Promise<void>
}

export function newReader(program: Program): Reader {
  const dir = mkdtempSync(join(program.dir, 'page-'))
  const state = `${dir}.state`
  const first: Record<string, string> = {
    PATH: `${join(program.dir, 'bin')}:${process.env.PATH}`,
    HOME: dir,
    NO_PROXY: '*',
    LC_ALL: 'C.UTF-8',
    SAMPLES,
  }
  writeFileSync(
    state,
    `cd ${quoted(dir)}\n${Object.entries(first)
      .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
      .join('')}`,
  )
  /** The last printed value of each kind. */
  const printed = new Map<string, string>()
  /** Processes by their kind: a server and the stand-ins. A new one takes the place of its predecessor. */
  const running = new Map<string, ChildProcess>()
  let port = '1'

  const own = (text: string) =>
    text
      .replaceAll(/\b(localhost|127\.0\.0\.1):8080\b/g, `$1:${port}`)
      .replaceAll(PUBLIC, `http://localhost:${port}`)
      .replaceAll(/^[A-Z_]+=\S+$/gm, (line) => {
        const match = PRINTED.exec(line.replaceAll(`:${port}`, ':8080'))
        if (!match) return line
        const [, name, key, host] = match
        const value = printed.get(key ?? (host === undefined ? 'stand-ins' : 'link host'))
        if (value === undefined) throw new Error(`${line}: nothing like it was printed before`)
        return `${name}=${value}`
      })

  const scriptOf = (commands: string, more = '') => `
set -a
. ${quoted(state)}
set +a
${program.definition}
${HELPERS.replaceAll(':8080', `:${port}`)}
set -e -o pipefail
${more}
set -a
${commands}`

  /** A trap that keeps exported variables and the directory of the reader for the next block. */
  const keeping = `trap 'set +x; { echo "cd \\"$PWD\\""; export -p; } > ${quoted(state)}' EXIT`

  async function type(commands: string): Promise<{ code: number; output: string }> {
    const child = spawn('bash', ['-c', scriptOf(own(commands), keeping)], {
      cwd: dir,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    take(output)
    return { code: code ?? 1, output }
  }

  function take(output: string): void {
    for (const [key, kind] of output.matchAll(/\b((?:ak|sk|dk|rk)_)[\w-]{43}/g)) printed.set(kind!, key)
    const host = /\b[a-z0-9]{11}\.localhost:\d+/.exec(output)?.[0]
    if (host !== undefined) printed.set('link host', host)
    const standIns = STAND_INS.exec(output)
    if (standIns) printed.set('stand-ins', (standIns[1] ?? standIns[2])!)
  }

  async function stayUp(commands: string, shown: string | undefined): Promise<string> {
    const word = STAYS.exec(commands)![1]!
    await stop(word)
    const typed = own(commands).replace(/^((?:[A-Z_]+=\S+ )*)(?:npx )?appsvc/, `$1 exec ${program.command}`)
    const line = typed.replace(/^((?:[A-Z_]+=\S+ )+) exec/, 'export $1; exec')
    const child = spawn('bash', ['-c', scriptOf(line, 'export APPSVC_PORT=0')], {
      cwd: dir,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.set(word, child)
    let stdout = ''
    let all = ''
    child.stdout.on('data', (chunk) => (stdout += chunk))
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (all += chunk))
    let over = false
    child.once('close', () => (over = true))
    const up = () => /Ctrl-C|^\{/m.test(stdout)
    await eventually(
      () => over || (up() && (shown === undefined || isAsShown(shown, asPrinted(stdout)))),
      `${commands}\n${shown}`,
    )
    if (over) throw new Error(`it ended: ${commands}\n${all}`)
    take(all)
    const address = LISTENING.exec(all)
    if (address) {
      port = new URL((address[1] ?? address[2])!).port
      writeFileSync(state, `${readFileSync(state, 'utf8')}\nexport APPSVC_PORT=${port}\n`)
    }
    const standIns = printed.get('stand-ins')
    if (standIns !== undefined) writeFileSync(state, `${readFileSync(state, 'utf8')}\nexport SANDBOX=${standIns}\n`)
    return stdout
  }

  async function stop(word: string): Promise<void> {
    const child = running.get(word)
    running.delete(word)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
  }

  async function stopAll(): Promise<void> {
    for (const word of running.keys()) await stop(word)
  }

  const asPrinted = (output: string) =>
    output
      .replaceAll(dir, '/home/you')
      .replaceAll(new RegExp(`\\b(localhost|127\\.0\\.0\\.1):${port}\\b`, 'g'), '$1:8080')
      .trimEnd()

  return {
    dir,
    type,
    async see(step) {
      if (step.kind === 'file' || step.kind === 'left out') {
        await this.do(step)
        return undefined
      }
      if (STAYS.test(step.commands) && step.exit === 0) return asPrinted(await stayUp(step.commands, undefined))
      // Nobody knows yet what it shall print, so workers get their moment.
      if (READS.test(step.commands)) await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
      const { code, output } = await type(step.commands)
      if (code !== step.exit) throw new Error(`line ${step.line} ended with ${code}: ${step.commands}\n${output}`)
      return asPrinted(output)
    },
    async do(step) {
      if (step.kind === 'left out') return
      if (step.kind === 'file') {
        const path = join(dir, step.path)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, own(step.text))
        return
      }
      const shown = step.kind === 'command' ? step.output : undefined
      const where = `line ${step.line}: ${step.commands}`
      if (STAYS.test(step.commands) && step.exit === 0) return void (await stayUp(step.commands, shown))
      let { code, output } = await type(step.commands)
      const isRight = () =>
        code === step.exit && (shown === undefined || shown === '' || isAsShown(shown, asPrinted(output)))
      if (!isRight() && READS.test(step.commands) && running.size > 0) {
        // Less and less often: each look costs as much as the work that it waits for.
        let looks = 0
        await eventually(async () => {
          await new Promise((resolve) => setTimeout(resolve, Math.min(50 * ++looks, MOST_BETWEEN_LOOKS_MS)))
          ;({ code, output } = await type(step.commands))
          return isRight()
        }, where).catch(() => undefined)
      }
      if (code !== step.exit) throw new Error(`${where}\nended with ${code} instead of ${step.exit}:\n${output}`)
      if (!isRight()) throw new Error(`${where}\nthe page shows:\n${shown}\n\nit printed:\n${asPrinted(output)}`)
    },
    end: stopAll,
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
