/**
 * The programs that some tests need and that not every machine has, each with the package of Debian that brings it. Where one is
 * missing, its tests are left out before they start anything. This list is the only one: `.ci/run` installs from it, the runner says at its
 * begin what is missing, and a test compares with it what README and CONTRIBUTING tell people to paste. What Debian calls essential (bash,
 * coreutils, grep, sed, tar) is taken for granted.
 *
 *     node test/support/needs.ts             the packages that this machine lacks
 *     node test/support/needs.ts --quick     those, and the one that makes a run quicker
 *     node test/support/needs.ts --all       all of them
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, globSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { Context, Runnable, Suite } from 'mocha'
import { running } from './running.ts'
import { askerOf, skip } from './skip.ts'

/** Our Node; what is older hands over to it. */
const OURS = 24

interface Program {
  /** The package of Debian. */
  package: string
  /** Commands of the program, any of which will do. */
  commands?: readonly string[]
  /** A file that is no command: a pattern. */
  file?: string
  /** Tells whether the one that was found will do. */
  fits?(path: string): boolean
}

const PROGRAMS = {
  chromium: {
    package: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  },
  curl: { package: 'curl', commands: ['curl'] },
  nghttpd: { package: 'nghttp2-server', commands: ['nghttpd'] },
  pgbouncer: { package: 'pgbouncer', commands: ['pgbouncer'] },
  'nats-server': { package: 'nats-server', commands: ['nats-server'] },
  openssl: { package: 'openssl', commands: ['openssl'] },
  libfaketime: { package: 'libfaketime', file: '/usr/{lib,lib64,local/lib}/{,*/}faketime/libfaketimeMT.so.1' },
  python3: { package: 'python3', commands: ['python3'] },
  php: { package: 'php-cli', commands: ['php'] },
  promtool: { package: 'prometheus', commands: ['promtool'] },
  fish: { package: 'fish', commands: ['fish'] },
  zsh: { package: 'zsh', commands: ['zsh'] },
  mandoc: { package: 'mandoc', commands: ['mandoc'] },
  javac: { package: 'openjdk-17-jdk-headless', commands: ['javac'] },
  /** A Node as `bin/run.js` meets it on many machines. */
  'Node before 24': { package: 'nodejs', commands: ['node'], fits: isOldNode },
} satisfies Record<string, Program>

export type ProgramName = keyof typeof PROGRAMS

const programs: [ProgramName, Program][] = Object.entries(PROGRAMS) as [ProgramName, Program][]

function isOldNode(path: string): boolean {
  const { stdout } = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  return Number.parseInt(stdout, 10) < OURS
}

/**
 * The directories of the PATH, and the `sbin` beside each `bin` of it: Debian puts servers there, and it is not in the PATH of everybody. Not
 * `/usr/sbin` itself, so that a PATH of few programs (bare-machine.ts) has only these.
 */
function directories(): string[] {
  const named = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '')
  const beside = named.filter((directory) => basename(directory) === 'bin').map((bin) => join(dirname(bin), 'sbin'))
  return [...new Set([...named, ...beside])]
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const found = new Map<ProgramName, string | undefined>()

/** The path of a program (of the file, if it is one); undefined when this machine does not have it. */
export function findProgram(name: ProgramName): string | undefined {
  if (!found.has(name)) found.set(name, search(PROGRAMS[name]))
  return found.get(name)
}

function search({ commands = [], file, fits }: Program): string | undefined {
  const places = [
    ...commands.flatMap((command) =>
      directories()
        .map((directory) => join(directory, command))
        .filter(isExecutable),
    ),
    ...(file === undefined ? [] : globSync(file).toSorted()),
  ]
  return places.find((path) => fits?.(path) ?? true)
}

/** The reason for leaving something out: the program, and the way to get it. */
export const lacks = (name: ProgramName) => `there is no ${name} (apt-get install ${PROGRAMS[name].package})`

/** Tests and suites that a machine without their programs leaves out. */
const needing = new WeakSet<object>()

/** Tells whether what runs now is left out on a machine that lacks its programs. */
export function needsPrograms(): boolean {
  for (let at: Runnable | Suite | undefined = running(); at; at = at.parent) if (needing.has(at)) return true
  return false
}

/**
 * Leaves a test out when one of the programs is missing; from a `before`, whose first line it is, the whole suite.
 * Returns the path of the first program. Throws as mocha wants it for a skip.
 */
export function needs(context: Context, name: ProgramName, ...more: readonly ProgramName[]): string
export function needs(context: Context, ...names: readonly ProgramName[]): string | undefined
export function needs(context: Context, ...names: readonly ProgramName[]): string | undefined {
  for (const name of names) if (findProgram(name) === undefined) skip(context, lacks(name))
  if (names[0] === undefined) return undefined
  needing.add(askerOf(context))
  return findProgram(names[0])
}

/** The programs that lines of a shell start. */
export function programsIn(script: string): ProgramName[] {
  const begun = new Set(Array.from(script.matchAll(BEGUN), ([, word]) => word!))
  const isBegun = ([, { commands = [], fits }]: (typeof programs)[number]) =>
    !fits && commands.some((one) => begun.has(one))
  return programs.filter(isBegun).map(([name]) => name)
}

/** The first word of a line, and what follows a pipe, a semicolon or a parenthesis. */
const BEGUN = /(?:^|[|;&(])\s*(?:(?:command|sudo|exec) )?([a-z][\w-]*)/gm

/** The programs that this machine lacks, with their packages. */
export function missingPrograms(): { name: ProgramName; package: string }[] {
  return programs
    .filter(([name]) => findProgram(name) === undefined)
    .map(([name, one]) => ({ name, package: one.package }))
}

/** The Chromium that has no windows at all, where this machine has it beside the whole one. Tests pass without it, in more processor time. */
export function findHeadlessShell(): string | undefined {
  return search({ package: HEADLESS_SHELL, commands: [HEADLESS_SHELL, 'chrome-headless-shell'] })
}

const HEADLESS_SHELL = 'chromium-headless-shell'

/** The packages of all of them, as they follow `apt-get install`. */
export const PACKAGES: readonly string[] = programs.map(([, one]) => one.package)

if (import.meta.main) {
  const missing = missingPrograms().map((one) => one.package)
  if (process.argv.includes('--quick') && findHeadlessShell() === undefined) missing.push(HEADLESS_SHELL)
  console.log((process.argv.includes('--all') ? PACKAGES : missing).join(' '))
}
