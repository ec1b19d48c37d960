import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { BATCH_BYTES } from '../../../platform/concurrency/chunks.ts'
import { AppError, type FieldErrors, messageOf } from '../../../platform/errors.ts'
import { SpillingMap } from '../../../platform/files/spilling-map.ts'
import {
  isPlainObject,
  jsonProblem,
  lineProblem,
  parseJsonText,
  type ReadJson,
  readJsonText,
  unkeptProblem,
} from '../../../platform/json/json.ts'
import { byItem } from '../../../platform/json/numbers.ts'
import { countProblem, readCsvRows, readHeader } from '../../../platform/text/csv.ts'
import { CR_ALONE, hasLoneCr, isUtf16, notUtf8, refusedUtf16 } from '../../../platform/text/text-files.ts'
import { check } from '../../../platform/values/parse.ts'
import type { DeepLink, NewLink } from '../types.ts'
import { type Conversion, type Converted, type ConvertedLink, convertRow, type Service } from './import-formats.ts'
import { createLinks } from './schema.ts'
import { withoutSlash } from './slug.ts'

/** Imports the links of another service in batches. Of finished rows only their paths are kept: few in memory, the others in a temporary file. */

export interface ImportParts {
  /** Stores links with new slugs in one transaction. Returns how many it stored. */
  adopt(links: readonly NewLink[]): Promise<number>
  /** The links of the app with these slugs, by slug. Absent: the app has none. */
  findEach?(slugs: readonly string[]): Promise<ReadonlyMap<string, Pick<DeepLink, 'linkData' | 'isEnabled' | Targets>>>
  /** The reason why a link cannot be stored although its fields are right; undefined if it can. */
  refusalOf?(link: NewLink): string | undefined
  /** Paths of the files that were read before. Absent: there is no other file. */
  seen?: SeenLinks
  /** Called with every refused row, as it is in the file. */
  onRefused?(row: RefusedRow, text: string): Promise<void> | void
  /** Called with the number of processed rows. */
  onProgress?(rows: number): void
}

type Targets = 'desktopWebFallbackUrl' | 'mobileWebFallbackUrl'

/** A row that was not imported. */
interface RefusedRow {
  /** Line in the file, from 1; in a JSON list the position of the item. */
  line: number
  problem: string
}

/** Each row is counted exactly once. */
export interface ImportReport {
  created: number
  /** Rows whose link the app already has; the link is not changed. */
  existing: number
  /** Rows of links that cannot be moved. */
  left: number
  refused: number
  /** Data that is left behind, and changed data of the links that are made: in words, each with its number. */
  remarks: { what: string; count: number }[]
  /** Refused rows, at most the first thousand. */
  refusedRows: RefusedRow[]
}

export const emptyReport = (): ImportReport => ({
  created: 0,
  existing: 0,
  left: 0,
  refused: 0,
  remarks: [],
  refusedRows: [],
})

/** Adds the results of one file to those of the files before. */
export function addReport(sum: ImportReport, { created, existing, left, refused, remarks, refusedRows }: ImportReport) {
  sum.created += created
  sum.existing += existing
  sum.left += left
  sum.refused += refused
  for (const { what, count } of remarks) addRemark(sum, what, count)
  sum.refusedRows.push(...refusedRows.slice(0, MAX_NAMED - sum.refusedRows.length))
}

function addRemark({ remarks }: ImportReport, what: string, more: number): void {
  const known = remarks.find((one) => one.what === what)
  if (known) known.count += more
  else if (remarks.length < MAX_REMARKS) remarks.push({ what, count: more })
}

/**
 * The paths of an import, which may be of several files: an app has each path once, whatever the number of old domains. Whoever makes it
 * closes it.
 */
export interface SeenLinks {
  /** The old domains: their number, and the first of them. */
  domains(): { count: number; first: readonly string[] }
  /** Notes the path of a link. Returns the reason for refusing it if another row has the path. */
  see(link: NewLink & { slug: string }, host: string | undefined, line: number): string | undefined
  close(): void
}

/** A row that has a path. */
type Seen = [line: number, digest: string, host: string | null]

/** `kept` is the number of paths that stay in memory. */
export function noSeenLinks(kept?: number): SeenLinks {
  const paths = new SpillingMap({ kept })
  const hosts = new SpillingMap({ kept })
  const first: string[] = []
  let count = 0

  function seeHost(host: string): void {
    if (hosts.get(host) !== undefined) return
    hosts.set(host, '')
    count++
    if (first.length < MAX_DOMAINS) first.push(host)
  }

  return {
    domains: () => ({ count, first }),
    see(link, host, line) {
      if (host !== undefined) seeHost(host)
      const digest = hash('sha256', leadsTo(link), 'base64url').slice(0, 16)
      const own: Seen = [line, digest, host ?? null]
      const before = paths.get(link.slug)
      if (before !== undefined) return twinProblem(link.slug, JSON.parse(before) as Seen, own)
      paths.set(link.slug, JSON.stringify(own))
      return undefined
    },
    close() {
      paths.close()
      hosts.close()
    },
  }
}

/** The reason for refusing the second row with a path; undefined if both are one link. */
function twinProblem(slug: string, [line, digest, host]: Seen, [, ownDigest, ownHost]: Seen): string | undefined {
  if (host !== ownHost) {
    return `has the path ${slug}, as line ${line} has on ${host ?? 'no domain'}: an app has each path once, so import the links of ${ownHost ?? 'this domain'} into another app`
  }
  return digest === ownDigest
    ? undefined
    : `has the path ${slug}, as line ${line} has, and leads elsewhere: delete one of the two lines`
}

/** One row of a file, or the reason why it cannot be read. */
interface ReadRow {
  line: number
  row?: unknown
  problem?: string
  text: string
}

const BATCH = 500
const MAX_NAMED = 1000
const MAX_REMARKS = 100
/** Old domains that are named. */
const MAX_DOMAINS = 20
const ON_HERE = 'archived there and on here: appsvc links update with --disable switches it off'
/** Maximum size of a JSON list, which is read as a whole. */
const MAX_LIST_BYTES = 64 * 1024 * 1024
const MAX_ROW_LENGTH = 1024 * 1024

/**
 * Reads an export (CSV with a header, a JSON list, or JSON lines) and stores its links. Repeating it creates no
 * duplicates. Throws `bad_request` for a file without rows or a JSON list that cannot be read. However it ends, the input is closed.
 */
export async function importLinks(
  input: AsyncIterable<Buffer>,
  service: Service,
  options: Conversion,
  parts: ImportParts,
): Promise<ImportReport> {
  const chunks = input[Symbol.asyncIterator]()
  const { seen = noSeenLinks() } = parts
  try {
    return await importChunks(chunks, service, options, { ...parts, seen })
  } finally {
    if (!parts.seen) seen.close()
    await chunks.return?.()
  }
}

async function importChunks(
  chunks: AsyncIterator<Buffer>,
  service: Service,
  options: Conversion,
  { adopt, findEach, refusalOf, seen, onRefused, onProgress }: ImportParts & { seen: SeenLinks },
): Promise<ImportReport> {
  const report = emptyReport()
  let batch = new Map<string, { link: NewLink; line: number; text: string; remarks: readonly string[] }>()
  let held = 0
  const refuse = async (line: number, problem: string, text: string) => {
    report.refused++
    if (report.refusedRows.length < MAX_NAMED) report.refusedRows.push({ line, problem })
    await onRefused?.({ line, problem }, text)
  }
  const flush = async () => {
    const links: NewLink[] = []
    const present = await findEach?.([...batch.keys()])
    for (const { link, line, text, remarks } of batch.values()) {
      const there = present?.get(link.slug!)
      if (!there) {
        links.push(link)
        for (const remark of remarks) addRemark(report, remark, 1)
      } else if (leadsTo(there) === leadsTo(link)) {
        report.existing++
        if (link.isEnabled === false && there.isEnabled) addRemark(report, ON_HERE, 1)
      } else {
        const problem = `has the path ${link.slug}, and the app has a link there that leads elsewhere: it stays`
        await refuse(line, problem, text)
      }
    }
    if (links.length > 0) {
      const stored = await adopt(links)
      report.created += stored
      report.existing += links.length - stored
    }
    batch = new Map()
    held = 0
    onProgress?.(report.created + report.existing + report.left + report.refused)
  }

  const { isList, rows: read } = await openRows(chunks)
  let rows = 0
  for await (const { line, row, problem, text } of read) {
    rows++
    const converted = problem === undefined ? convert(service, row, options) : { problem }
    if ('left' in converted) {
      report.left++
      addRemark(report, converted.left, 1)
      continue
    }
    if ('problem' in converted) {
      await refuse(line, converted.problem, text)
      continue
    }
    const link = { ...converted.link, slug: withoutSlash(converted.link.slug!) }
    const errors = check(createLinks, [link], true)
    const refusal = errors ? sentenceOf(errors) : refusalOf?.(link)
    if (refusal !== undefined) await refuse(line, inTheirWords(refusal, converted), text)
    else {
      const twin = seen.see(link, converted.host, line)
      if (twin !== undefined) await refuse(line, twin, text)
      else if (batch.has(link.slug)) report.existing++
      else {
        batch.set(link.slug, { link, line, text, remarks: converted.remarks })
        held += text.length
      }
    }
    if (batch.size >= BATCH || held >= BATCH_BYTES) await flush()
  }
  await flush()
  if (rows === 0 && !isList) {
    throw new AppError('bad_request', 'the file has no rows: it must be CSV with a header, a JSON list, or JSON lines')
  }
  return report
}

function convert(service: Service, row: unknown, options: Conversion): Converted {
  return isPlainObject(row) ? convertRow(service, row, options) : { problem: 'is not an object' }
}

function sentenceOf(errors: FieldErrors): string {
  return Object.entries(errors)
    .flatMap(([path, messages]) => messages.map((message) => `${path.replace(/^\[0\]\.?/, '')} ${message}`))
    .join('; ')
}

/** A refusal with the columns of the file in place of our fields, each said once. */
function inTheirWords(refusal: string, { columns }: ConvertedLink): string {
  const said = refusal.split('; ').map((sentence) => {
    const field = Object.keys(columns).find(
      (name) => sentence.startsWith(`${name} `) || sentence.startsWith(`${name}.`),
    )
    return field === undefined ? sentence : `${columns[field]!}${sentence.slice(field.length)}`
  })
  return [...new Set(said)].join('; ')
}

/** A text that is equal for two links that lead everybody to the same place. */
function leadsTo({
  linkData,
  desktopWebFallbackUrl,
  mobileWebFallbackUrl,
}: Pick<NewLink, 'linkData' | Targets>): string {
  return JSON.stringify([sorted(linkData), desktopWebFallbackUrl, mobileWebFallbackUrl])
}

/** A JSON value whose objects have their names in order: PostgreSQL does not keep it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  )
}

/** A file without rows is an error unless it is an empty JSON list: any text could be a CSV file with only a header. */
async function openRows(chunks: AsyncIterator<Buffer>): Promise<{ isList: boolean; rows: AsyncGenerator<ReadRow> }> {
  const first = await chunks.next()
  if (first.done) throw new AppError('bad_request', 'the file is empty')
  const all = (async function* () {
    yield first.value
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  })()
  if (isUtf16(first.value)) throw refusedUtf16()
  const begin = Buffer.from(first.value)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()[0]
  if (begin === '[') return { isList: true, rows: readList(all) }
  return { isList: false, rows: begin === '{' ? readJsonLines(all) : readCsv(all) }
}

async function* readList(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    size += chunk.length
    if (size > MAX_LIST_BYTES) {
      throw new AppError(
        'too_large',
        `a JSON list may have at most ${MAX_LIST_BYTES / 1024 / 1024} MiB: write one object per line instead`,
      )
    }
  }
  const bytes = Buffer.concat(parts)
  if (!isUtf8(bytes)) throw notUtf8(1)
  let list: ReadJson
  try {
    list = readJsonText(bytes.toString('utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new AppError('bad_request', `the file ${jsonProblem(error) ?? messageOf(error)}`)
  }
  const numbers = byItem(list.unkept)
  for (const [i, row] of (list.value as unknown[]).entries()) {
    const unkept = numbers.get(i)
    const text = JSON.stringify(row)
    if (unkept) yield { line: i + 1, problem: unkeptProblem(unkept), text }
    else yield { line: i + 1, row, text }
  }
}

async function* readJsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  let line = 0
  for await (const bytes of linesOf(chunks)) {
    line++
    if (!isUtf8(bytes)) throw notUtf8(line)
    const text = bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim()
    if (text === '') continue
    try {
      yield { line, row: parseJsonText(text), text }
    } catch (error) {
      yield { line, problem: hasLoneCr(bytes) ? CR_ALONE : lineProblem(error), text }
    }
  }
}

/** Lines of a file. Not with node:readline, which hides read errors. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    let at = 0
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF, at)) {
      yield rest.subarray(at, end)
      at = end + 1
    }
    rest = rest.subarray(at)
    if (rest.length > MAX_ROW_LENGTH) throw new AppError('too_large', `a line may have at most ${MAX_ROW_LENGTH} bytes`)
  }
  yield rest
}

async function* readCsv(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  let head: string[] | undefined
  for await (const record of readCsvRows(withLineFeeds(chunks), { longest: MAX_ROW_LENGTH, trim: true })) {
    if (!head) {
      head = readHeader(record)
      continue
    }
    const { line, cells, fault, bytes } = record
    const text = bytes.toString('utf8').trim()
    const problem = fault ?? countProblem(record, head.length)
    if (problem !== undefined) yield { line, problem: `cannot be read as CSV: ${problem}`, text }
    else yield { line, row: Object.fromEntries(head.map((name, i) => [name, cells[i]!.text])), text }
  }
}

const CR = 0x0d
const LF = 0x0a

/**
 * A file whose first line ends in a lone CR, as old spreadsheets write it, gets LF for every CR. Others stay as they
 * are.
 */
async function* withLineFeeds(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isOld: boolean | undefined
  for await (const chunk of chunks) {
    const end = isOld === undefined ? chunk.findIndex((byte) => byte === CR || byte === LF) : -1
    // A CR that ends the chunk may be half of a CRLF: such a file is read as it is.
    if (end >= 0) isOld = chunk[end] === CR && end + 1 < chunk.length && chunk[end + 1] !== LF
    yield isOld ? Buffer.from(chunk.map((byte) => (byte === CR ? LF : byte))) : chunk
  }
}
