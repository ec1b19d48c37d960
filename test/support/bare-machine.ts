/**
 * Runs the tests of programs that a bare machine lacks, as there: with a PATH of what Debian calls essential, node, npm and git, and with nothing
 * else of this environment. They have to end well, and to say of each program that it is missing and which package brings it.
 *
 *     node test/support/bare-machine.ts
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { lacks, missingPrograms } from './needs.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Programs that a reader of README.md has, besides Debian's. */
const BESIDES = ['node', 'npm', 'npx', 'git']
const DEADLINE_MS = 5 * 60_000

/** The output of a command. Throws when it fails. */
function printed(command: string, ...argv: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, argv, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** The programs of a bare machine, by their names. */
function barePrograms(): Map<string, string> {
  const essential = linesOf(printed('dpkg-query', '-W', '-f', '${Essential} ${Package}\n'))
    .filter((line) => line.startsWith('yes '))
    .map((line) => line.slice('yes '.length))
  const files = linesOf(printed('dpkg', '-L', ...essential)).filter((path) => /^(?:\/usr)?\/s?bin\/[^/]+$/.test(path))
  const besides = BESIDES.flatMap((name) =>
    linesOf(printed('sh', '-c', `PATH=${JSON.stringify(ownPath())} command -v ${name} || :`)),
  )
  const programs = [...files, ...besides].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return new Map(programs.map((path) => [basename(path), path]))
}

/** The PATH without what npm installed in this checkout, where there is a Node, too. */
const ownPath = () =>
  (process.env.PATH ?? '')
    .split(':')
    .filter((directory) => !directory.includes('node_modules'))
    .join(':')

/** The test files that need one of these programs. */
function testsOf(missing: readonly string[]): string[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT })
    .toSorted()
    .filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      const asked = Array.from(text.matchAll(/\bneeds\((?:this|context), '([^']+)'/g), ([, name]) => name!)
      const isSeen = /from '[./]+(?:\w+\/)*(?:browser|console|web-view)\.ts'/.test(text)
      return [...asked, ...(isSeen ? ['chromium'] : [])].some((name) => missing.includes(name))
    })
}

/** Errors in the run of a bare machine; none when it went as it should. Prints the run. */
function runBare(bin: string, home: string): string[] {
  // What this module finds from here on, too, is what is there.
  process.env.PATH = bin
  const missing = missingPrograms()
  const files = testsOf(missing.map(({ name }) => name))
  const { stdout, status } = spawnSync('npm', ['test', '--', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: bin, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: DEADLINE_MS,
    maxBuffer: 2 ** 26,
  })
  console.log(stdout)
  const [, passed, failed, skipped] = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(stdout) ?? []
  return [
    ...(status === 0 && failed === '0' ? [] : [`it failed (status ${status})`]),
    ...(Number(passed) > 0 ? [] : ['nothing passed']),
    ...(Number(skipped) > 0 ? [] : ['nothing was left out']),
    ...(stdout.includes('it does not say why') ? ['something was left out without a reason'] : []),
    ...missing.filter(({ name }) => !stdout.includes(lacks(name))).map(({ name }) => `no test says: ${lacks(name)}`),
  ]
}

const home = mkdtempSync(join(tmpdir(), 'bare-machine-'))
try {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  for (const [name, path] of barePrograms()) symlinkSync(path, join(bin, name))
  const wrong = runBare(bin, home)
  for (const one of wrong) console.log(`On a bare machine: ${one}`)
  if (wrong.length > 0) process.exitCode = 1
} finally {
  rmSync(home, { recursive: true, force: true })
}
