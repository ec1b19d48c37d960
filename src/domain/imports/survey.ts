import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { batches } from '../../platform/concurrency/chunks.ts'
import type { Platform } from '../gateways/registry.ts'
import type { ConsentCounts, ConsentTally } from './consent-tally.ts'
import { type Reading, type ReadRow, readExport } from './read/export.ts'
import type { Ready, Source, SourceOptions } from './types.ts'

/** Results that an import would have, found by reading the files and writing nothing. */
export interface Survey {
  rows: number
  /** Unpacked. */
  bytes: number
  /** SHA-256 of the contents of all files. */
  digest: string
  installs: PlatformCount[]
  /** Rows that name a user, and rows about a user without a device. */
  withUser: number
  usersOnly: number
  /** Tokens of Apple's sandbox. */
  sandbox: number
  optedOut: number
  /** Channels that the rows name, most members first. */
  channels: Named[]
  /** Names of attributes, most frequent first. */
  attributes: Named[]
  columns: { column: string; becomes: string }[]
  left: Named[]
  /** Devices that are refused because the export does not say whether they opted out. */
  unsaid: number
  /** True when the export says of any device whether it opted out. */
  isSaid: boolean
  /** Consent after the import; undefined when nobody asked. */
  consent: ConsentCounts | undefined
  /** Rows with users or devices that were erased here, and the first of them. */
  erased: number
  erasedRows: Line[]
  refused: number
  reasons: Named[]
  /** The first refused rows. */
  refusedRows: (Line & { problem: string })[]
  /** The first devices and users, with tokens masked. */
  samples: Sample[]
}

/** A line of a file. `file` counts from 0, `line` from 1. */
interface Line {
  file: number
  line: number
}

interface PlatformCount {
  platform: Platform
  total: number
  unreachable: number
  disabled: number
}

interface Named {
  name: string
  count: number
}

interface Sample {
  installId: string | null
  user: string | null
  platform: Platform | null
  token: string | null
  attributes: number
  channels: number
}

const MAX_SAMPLES = 5
const MAX_LINES_SHOWN = 20
/** Names of one kind that are counted apart; the others are counted under `…`. */
const MAX_NAMES = 10_000
const REST = '…'
/** Rows between two turns of other work. */
const ROWS_AT_ONCE = 2000
/** Rows whose columns are looked at: in JSON each row names its own. */
const ROWS_FOR_COLUMNS = 10_000
const MAX_COLUMNS = 300

export interface SurveyParts {
  /** Removes users and devices that were erased here from rows; `erased` are the rows of which something was left out. */
  withoutErased?(
    rows: readonly { ready: readonly Ready[] }[],
  ): Promise<{ rows: readonly { ready: readonly Ready[] }[]; erased: ReadonlySet<number> }>
  onRows?(rows: number): void
  /** Counts consent as it would be after the import. */
  tally?: ConsentTally | undefined
}

/** Reads the files to their end. Throws as `readExport` does. */
export async function surveyExport(
  reading: Reading,
  { withoutErased, onRows, tally }: SurveyParts = {},
): Promise<Survey> {
  const hash = createHash('sha256')
  const counts = createCounts()
  let bytes = 0
  const onBytes = (chunk: Buffer) => {
    bytes += chunk.length
    hash.update(chunk)
  }
  const rows = readExport({ ...reading, from: 0, onBytes })
  for await (const batch of batches(rows, { size: ROWS_AT_ONCE, bytesOf: (row) => row.bytes.length })) {
    const readies = batch.map((row) => ({ ready: 'ready' in row ? row.ready : [] }))
    const living = await withoutErased?.(readies)
    for (const [i, row] of batch.entries()) {
      const left = living?.erased.has(i) ? { ...row, ...living.rows[i]! } : row
      counts.add(left, left !== row)
      if ('unsaid' in row) tally?.addRefused(row.unsaid ?? 0)
    }
    await tally?.add(living?.rows ?? readies)
    onRows?.(counts.rows())
    await setImmediate()
  }
  return {
    ...counts.result(reading.source, reading.options),
    consent: tally?.counts(),
    bytes,
    digest: hash.digest('hex'),
  }
}

function createCounts() {
  let rows = 0
  const platforms = new Map<Platform, PlatformCount>()
  const sums = { withUser: 0, usersOnly: 0, sandbox: 0, optedOut: 0, erased: 0, refused: 0, unsaid: 0 }
  let isSaid = false
  const channels = new Map<string, number>()
  const attributes = new Map<string, number>()
  const left = new Map<string, number>()
  const reasons = new Map<string, number>()
  const columns = new Set<string>()
  const refusedRows: Survey['refusedRows'] = []
  const erasedRows: Survey['erasedRows'] = []
  const samples: Sample[] = []

  function addReady(one: Ready): void {
    if (one.identifier !== null) sums.withUser++
    if (one.optedOut) sums.optedOut++
    if (one.platform !== null && one.isSaid) isSaid = true
    if (one.token?.environment === 'sandbox') sums.sandbox++
    if (one.platform === null) sums.usersOnly++
    else {
      const count = platforms.get(one.platform) ?? { platform: one.platform, total: 0, unreachable: 0, disabled: 0 }
      count.total++
      if (one.token === null) count.unreachable++
      else if (!one.enabled) count.disabled++
      platforms.set(one.platform, count)
    }
    for (const uuid of one.channels) count(channels, uuid)
    for (const name of Object.keys(one.attributes)) count(attributes, name)
    if (samples.length < MAX_SAMPLES) samples.push(sampleOf(one))
  }

  return {
    rows: () => rows,
    add(row: ReadRow, isErased: boolean): void {
      rows++
      if (isErased) {
        sums.erased++
        if (erasedRows.length < MAX_LINES_SHOWN) erasedRows.push({ file: row.file, line: row.line })
      }
      if (rows <= ROWS_FOR_COLUMNS)
        for (const name of Object.keys(row.row ?? {})) if (columns.size < MAX_COLUMNS) columns.add(name)
      if ('left' in row) count(left, row.left)
      else if ('problem' in row) {
        sums.refused++
        sums.unsaid += ('unsaid' in row && row.unsaid) || 0
        count(reasons, row.problem)
        if (refusedRows.length < MAX_LINES_SHOWN) {
          refusedRows.push({ file: row.file, line: row.line, problem: row.problem })
        }
      } else for (const one of row.ready) addReady(one)
    },
    result(source: Source, options: SourceOptions): Omit<Survey, 'bytes' | 'digest' | 'consent'> {
      return {
        rows,
        ...sums,
        isSaid,
        installs: [...platforms.values()].sort((a, b) => b.total - a.total),
        channels: ranked(channels),
        attributes: ranked(attributes),
        columns: [...columns].map((column) => ({ column, becomes: fateOf(column, source, options) })),
        left: ranked(left),
        reasons: ranked(reasons),
        refusedRows,
        erasedRows,
        samples,
      }
    },
  }
}

function count(names: Map<string, number>, name: string): void {
  const key = names.has(name) || names.size < MAX_NAMES ? name : REST
  names.set(key, (names.get(key) ?? 0) + 1)
}

function ranked(names: ReadonlyMap<string, number>): Named[] {
  return [...names].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count)
}

/** The use of a column, in a few words. `--map` comes first. */
function fateOf(column: string, source: Source, options: SourceOptions): string {
  const isKnown = !options.map.has(column) && Object.hasOwn(source.columns, column)
  return isKnown ? source.columns[column]! : source.others(column, options)
}

function sampleOf({ installId, identifier, platform, token, attributes, channels }: Ready): Sample {
  return {
    installId,
    user: identifier,
    platform,
    token: token && maskToken(token.token),
    attributes: Object.keys(attributes).length,
    channels: channels.length,
  }
}

/** A token shortened so that it can be found again but not sent to. An endpoint shows its host. */
export function maskToken(token: string): string {
  if (URL.canParse(token) && token.startsWith('https:')) return `https://${new URL(token).host}/…${token.slice(-4)}`
  return `${token.slice(0, 6)}…${token.slice(-4)}`
}
