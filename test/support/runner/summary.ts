import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './arguments.ts'
import type { Order } from './progress.ts'
import type { Race, Sums, Took } from './sums.ts'

/** The line after which everything is shown once more by `.ci/run`, at its own end. */
const AT_THE_END = 'What failed:'
/**
 * The line of the short list, which `.ci/run` shows in the same way. At most nine lines follow, so that they are among
 * the last ten of a log.
 */
const IN_SHORT = 'In short:'
/** The time from which files and tests are named as slow, the slowest of them. */
const SLOW_MS = 5000
const MOST_SLOW = 12
/** The number of races that are named with the error of each; of more, the others are in the file only. */
const MOST_RACES = 2
const LONGEST_LINE = 400
/** The whole logs of races, for readers who have only the end of the log. */
const RACES = join('build', 'races.log')

const inSeconds = (ms: number) => Math.round(ms / 1000)
const seconds = (ms: number) => `${String(inSeconds(ms)).padStart(4)} s`
const tests = (count: number) => (count === 1 ? '1 test' : `${count} tests`)

interface Run {
  ms: number
  processes: number | undefined
  left: Order['left']
}

/** Prints all that there is to say at the end of a run but the line of counts. */
export function printEnd(sums: Sums, { ms, processes, left }: Run): void {
  // Below the dots.
  console.log()
  printSlowest('files', sums.files)
  printSlowest('tests', sums.tests)
  for (const { name, why } of sums.skipped) console.log(`skipped, because ${why}: ${name}`)
  if (sums.reports.length > 0) console.log(`\n${AT_THE_END}`)
  for (const { text } of sums.reports) console.log(text)
  console.log(`\n${IN_SHORT}`)
  if (processes !== undefined) {
    const cpuMs = sums.files.reduce((sum, took) => sum + (took.cpuMs ?? 0), 0)
    console.log(`${inSeconds(ms)} s in ${processes} processes; ${inSeconds(cpuMs)} s of processor time`)
  }
  if (left.length > 0) {
    const parts = left.map(({ what, files }) => `${what} (${files === 1 ? '1 file' : `${files} files`})`)
    console.log(`left to --whole, since nothing differs that they stand on: ${parts.join(', ')}`)
  }
  for (const line of shortly(sums)) console.log(line)
}

function printSlowest(what: string, took: readonly Took[]): void {
  const slow = took.filter(({ ms }) => ms >= SLOW_MS).toSorted((a, b) => b.ms - a.ms)
  if (slow.length > 0) console.log(`The slowest ${what}:`)
  for (const { name, ms, cpuMs } of slow.slice(0, MOST_SLOW)) {
    // On a busy machine this is what can be compared with another run.
    const used = cpuMs === undefined ? '' : `${seconds(cpuMs)} of a processor`
    console.log(`${seconds(ms)}${used}  ${name}`)
  }
}

/** Lines that nobody may overlook: answers, skips and races, at most seven lines. */
function* shortly({ answers, skipped, races }: Sums): Generator<string> {
  if (answers) {
    const share = Math.floor((answers.given / answers.documented) * 1000) / 10
    yield `documented answers that a test got: ${answers.given} of ${answers.documented} (${share} %)`
  }
  yield skipped.length === 0 ? 'skipped: nothing' : clipped(`skipped: ${countReasons(skipped)}`)
  if (races.length === 0) return
  yield `races to mend, which failed at first and passed alone: ${tests(races.flatMap((race) => race.tests).length)}, in full in ${keepRaces(races)}`
  for (const race of races.slice(0, MOST_RACES)) {
    yield clipped(`  ${race.file}: ${race.tests.join('; ')}`)
    yield clipped(`    ${errorOf(race)}`)
  }
}

/** `12 tests, because there is no curl (apt-get install curl); 1 test, because …` */
function countReasons(skipped: Sums['skipped']): string {
  const counts = Map.groupBy(skipped, ({ why }) => why)
  return [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([why, those]) => `${tests(those.length)}, because ${why}`)
    .join('; ')
}

const clipped = (line: string) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)

/** The error of a race, and its place in our files. */
function errorOf({ log }: Race): string {
  const lines = log.split('\n').map((line) => line.trim())
  const error = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.find((line) => line !== '') ?? ''
  const place = lines.find((line) => line.startsWith('at ') && line.includes(ROOT))
  return [error, place?.replaceAll(`file://${ROOT}/`, '')].filter(Boolean).join(' ')
}

function keepRaces(races: readonly Race[]): string {
  const file = join(ROOT, RACES)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, races.map(({ log }) => log).join('\n'))
    return RACES
  } catch {
    return 'the log above'
  }
}
