/**
 * `node bench/capacity.ts` replays measured costs for 1, 10 and 100 million installs over a day, and prints what of one PostgreSQL primary
 * saturates first. `--write` puts the tables into docs/scaling.md; a test compares them. It measures nothing itself.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A measured cost, and the words of the page in which it stands: when these change, the number must. */
interface Cost {
  value: number
  page: string
  words: string
}

const SCALING = 'docs/scaling.md'

/** Processor time of the database (ms) with one process, and what the rest takes. */
export const COSTS = {
  /** Before plans were kept; of that 0.38 is left. */
  uploadBefore: { value: 0.31, page: SCALING, words: '| 1 | 2013 | 0.31 ms, 0.20 ms |' },
  uploadLeft: { value: 0.38, page: SCALING, words: 'and of four together 0.38' },
  page: { value: 10.5, page: SCALING, words: '| 22 200 | 10.5 ms, 23 ms |' },
  nodeUpload: { value: 0.2, page: SCALING, words: '0.31 ms, 0.20 ms' },
  nodePage: { value: 23, page: SCALING, words: '10.5 ms, 23 ms' },
  /** An install with its user, tokens and positions (kB). */
  install: { value: 2, page: SCALING, words: 'takes about 2 kB with indexes' },
} satisfies Record<string, Cost>

const RECIPIENTS_OF_PAGE = 1000
const UPLOAD_MS = COSTS.uploadBefore.value * COSTS.uploadLeft.value

/** The day of an install: what apps that send daily news see. */
const DAY = { uploads: 10, pushes: 3 } as const
/** Share of the uploads of a day by hour, of an audience in one time zone: a deep night, a lunch, an evening. */
export const CURVE = [
  1.4, 0.9, 0.6, 0.5, 0.6, 1.2, 2.6, 4.4, 5.2, 5.0, 4.7, 4.8, 5.6, 5.5, 4.9, 4.7, 4.9, 5.6, 6.6, 7.4, 7.8, 7.0, 5.2,
  2.9,
]
/** The hour in which every push goes out whose time somebody chose: the busiest. */
const PUSH_HOUR = 20
/** The share of the processors above which answers begin to wait. */
const BUSY = 0.6

/** The machine of a primary: memory and connections as people give them to so many cores. */
export interface Primary {
  cores: number
  memoryGb: number
  connections: number
}

export const PRIMARIES: readonly Primary[] = [
  { cores: 8, memoryGb: 32, connections: 500 },
  { cores: 32, memoryGb: 128, connections: 1000 },
  { cores: 96, memoryGb: 384, connections: 2000 },
]
/** The connections of a node: 10 for HTTP, 13 for its background thread, 3 for long reads, 4 for each of seven sending threads (docs/scaling.md). */
const NODE = { cores: 8, connections: 10 + 13 + 3 + 7 * 4 }

export interface Load {
  /** Processor time of the database, as cores, by hour. */
  cores: number[]
  /** Uploads a second in the busiest hour. */
  uploads: number
  pushesAnHour: number
  nodes: number
  /** Installs with their users, tokens and positions (GB). */
  hotGb: number
}

/** The load of so many installs. */
export function loadOf(installs: number): Load {
  const uploadsIn = (hour: number) => (installs * DAY.uploads * CURVE[hour]!) / 100 / 3600
  const pushesIn = (hour: number) => (hour === PUSH_HOUR ? installs * DAY.pushes : 0)
  const pagesIn = (hour: number) => pushesIn(hour) / RECIPIENTS_OF_PAGE / 3600
  const cores = CURVE.map((_, hour) => (uploadsIn(hour) * UPLOAD_MS + pagesIn(hour) * COSTS.page.value) / 1000)
  const uploads = Math.max(...CURVE.map((_, hour) => uploadsIn(hour)))
  const nodeCores = CURVE.map(
    (_, hour) => (uploadsIn(hour) * COSTS.nodeUpload.value + pagesIn(hour) * COSTS.nodePage.value) / 1000,
  )
  return {
    cores,
    uploads,
    pushesAnHour: pushesIn(PUSH_HOUR),
    nodes: Math.max(2, Math.ceil(Math.max(...nodeCores) / (NODE.cores * BUSY)) + 1),
    hotGb: (installs * COSTS.install.value) / 1e6,
  }
}

/** The part of a primary that each load takes: above 1 it does not carry it. */
export function sharesOf(load: Load, { cores, memoryGb, connections }: Primary): Record<string, number> {
  return {
    processors: Math.max(...load.cores) / (cores * BUSY),
    connections: (load.nodes * NODE.connections) / connections,
    memory: load.hotGb / memoryGb,
  }
}

/** The scarcest part of a primary, and how much of it is taken. */
export function firstToSaturate(load: Load, primary: Primary): [string, number] {
  return Object.entries(sharesOf(load, primary)).toSorted(([, a], [, b]) => b - a)[0]!
}

/** The most installs (millions) that a primary carries, when only some of its parts count. */
export function mostInstalls(primary: Primary, parts: readonly string[]): number {
  const carries = (millions: number) => {
    const shares = sharesOf(loadOf(millions * 1e6), primary)
    return parts.every((part) => shares[part]! <= 1)
  }
  let most = 0
  while (carries(most + 1)) most++
  return most
}

const percent = (share: number) => `${Math.round(share * 100)} %`
const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`
const thousands = (n: number) => Math.round(n).toLocaleString('en').replaceAll(',', ' ')

/** The two tables of docs/scaling.md. */
function tables(): string {
  const loads = [1, 10, 100].map((millions) => ({ millions, load: loadOf(millions * 1e6) }))
  const first = [
    row(
      'installs',
      'uploads a second, busiest hour',
      'pushes in that hour',
      'nodes of 8 cores',
      'hot rows',
      ...PRIMARIES.map(({ cores }) => `${cores} cores: first to saturate`),
    ),
    row(...Array.from({ length: 8 }, () => '---')),
    ...loads.map(({ millions, load }) =>
      row(
        `${millions} million`,
        thousands(load.uploads),
        `${thousands(load.pushesAnHour / 1e6)} million`,
        load.nodes,
        `${thousands(load.hotGb)} GB`,
        ...PRIMARIES.map((primary) => {
          const [part, share] = firstToSaturate(load, primary)
          return `${part}, ${percent(share)}`
        }),
      ),
    ),
  ]
  const second = [
    row('one primary of', 'carries (millions of installs)', 'with PgBouncer', 'and with all memory that it wants'),
    row(...Array.from({ length: 4 }, () => '---')),
    ...PRIMARIES.map((primary) =>
      row(
        `${primary.cores} cores, ${primary.memoryGb} GB, ${primary.connections} connections`,
        mostInstalls(primary, ['processors', 'connections', 'memory']),
        mostInstalls(primary, ['processors', 'memory']),
        mostInstalls(primary, ['processors']),
      ),
    ),
  ]
  return [...first, '', ...second].join('\n')
}

const MARKS = ['<!-- capacity: node bench/capacity.ts --write -->', '<!-- end of capacity -->'] as const

/** The page with the tables between its marks. */
export function withTables(page: string): string {
  const [begin, end] = MARKS
  const at = page.indexOf(begin)
  const until = page.indexOf(end)
  if (at < 0 || until < at) throw new Error(`${SCALING} needs ${begin} and ${end}`)
  return `${page.slice(0, at + begin.length)}\n${tables()}\n${page.slice(until)}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = join(import.meta.dirname, '..', SCALING)
  if (process.argv.includes('--write')) writeFileSync(file, withTables(readFileSync(file, 'utf8')))
  else process.stdout.write(`${tables()}\n`)
}
