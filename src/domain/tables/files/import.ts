import { batches, growthOf } from '../../../platform/concurrency/chunks.ts'
import { AppError, type FieldErrors } from '../../../platform/errors.ts'
import { readText, readValue } from '../definition/columns.ts'
import { checkNew } from '../definition/record.ts'
import type { ReadRecord, RecordsService } from '../records/records.service.ts'
import type { Table } from '../types.ts'
import { type CsvLine, fieldsOfCells } from './csv.ts'
import type { FileLine } from './json-lines.ts'
import { fieldsOfFile, type Units } from './values.ts'

/**
 * Imports records from a file in batches, one transaction each. Lines that cannot be stored are skipped and reported.
 */

export interface ImportOptions {
  appId: number
  alias: string
  lines: AsyncIterable<FileLine | CsvLine>
  inTransaction<T>(work: (records: RecordsService) => Promise<T>): Promise<T>
  /** Records keep the ids and times in the file. */
  keepIds: boolean
  /** Keeps the guards against formulas in the text of CSV cells. */
  raw: boolean
  /** Units of numbers in columns of dates. Absent: numbers are no dates. */
  units?: Units
  /** First line to import. */
  fromLine: number
  /** Tells how many bytes of the file are read. Absent for a file that is small. */
  bytesRead?(): number
  onRefused(line: RefusedLine): Promise<void> | void
  onProgress(progress: ImportProgress): void
}

export interface RefusedLine {
  line: number
  errors: FieldErrors
  /** The record of the line, as far as it could be read. */
  record: Record<string, unknown> | undefined
}

export interface ImportProgress {
  imported: number
  refused: number
  /** The last line of the last stored batch. */
  line: number
}

/** Half of the integers that JSON keeps exactly; the other half is left for later ids. */
const MAX_ID = 2 ** 52

/** Rows of one transaction. A running server waits for it. */
const BATCH = 1000
const MAX_TRIES = 5

/** Resolves at the end of the file. If it throws, earlier batches remain stored. */
export async function importRecords(options: ImportOptions): Promise<ImportProgress> {
  const progress = { imported: 0, refused: 0, line: 0 }
  const bytesOf = growthOf(options.bytesRead ?? (() => 0))
  for await (const some of batches(options.lines, { size: BATCH, bytesOf })) {
    const batch = some.filter(({ line }) => line >= options.fromLine)
    if (batch.length === 0) continue
    const { errors, read } = await store(options, batch)
    for (const [i, line] of batch.entries()) {
      progress.line = line.line
      if (!errors[i]) progress.imported++
      else {
        progress.refused++
        await options.onRefused({ line: line.line, errors: errors[i], record: read[i] })
      }
    }
    options.onProgress(progress)
  }
  return progress
}

async function store(options: ImportOptions, batch: readonly (FileLine | CsvLine)[]) {
  let read: (Record<string, unknown> | undefined)[] = []
  for (let tries = 1; ; tries++) {
    try {
      const errors = await options.inTransaction((records) =>
        records.createEach(
          options.appId,
          options.alias,
          (table, now) => {
            const lines = batch.map((line) => readLine(line, table, now, options))
            read = lines.map(({ fields }) => fields)
            return lines.map(({ checked }) => checked)
          },
          options.keepIds,
        ),
      )
      return { errors, read }
    } catch (error) {
      if (tries >= MAX_TRIES || !(error instanceof AppError) || error.code !== 'conflict') throw error
    }
  }
}

function readLine(
  line: FileLine | CsvLine,
  table: Table,
  now: number,
  { keepIds, raw, units = new Map() }: ImportOptions,
): { checked: ReadRecord; fields: Record<string, unknown> | undefined } {
  if (line.fault) return { checked: { errors: line.fault }, fields: undefined }
  if ('fields' in line) {
    const { fields, errors } = fieldsOfFile(line.fields, table, units)
    return { checked: check(fields, errors, table, now, keepIds), fields: line.fields }
  }
  const { fields, errors } = fieldsOfCells(line.cells, table, raw, units)
  return { checked: check(fields, errors, table, now, keepIds), fields: Object.fromEntries(line.cells) }
}

function check(
  fields: Record<string, unknown>,
  faults: FieldErrors,
  table: Table,
  now: number,
  keepIds: boolean,
): ReadRecord {
  const checked = checkNew(table, fields)
  const own = keepIds ? readOwn(fields) : { id: undefined, createdAt: now, updatedAt: now, errors: {} }
  // A cell that cannot be read is not reported as missing too.
  const errors = { ...own.errors, ...checked.errors, ...faults }
  const { id, createdAt, updatedAt } = own
  if (checked.errors || Object.keys(errors).length > 0) return { errors }
  return { record: { id, createdAt, updatedAt, values: checked.values } }
}

function readOwn(fields: Record<string, unknown>) {
  const errors: FieldErrors = {}
  const read = (name: string, type: 'reference' | 'datetime'): number => {
    const given = Object.hasOwn(fields, name) ? fields[name] : undefined
    const checked =
      given === undefined || given === null ? { fault: 'is required to keep ids' } : readValue(type, given)
    if (checked.fault === undefined) return checked.value as number
    errors[name] = [checked.fault]
    return 0
  }
  const [id, createdAt, updatedAt] = [
    read('id', 'reference'),
    read('createdAt', 'datetime'),
    read('updatedAt', 'datetime'),
  ]
  if (id > MAX_ID) errors.id = [`must be at most ${MAX_ID}: new records get higher ones`]
  return { id, createdAt, updatedAt, errors }
}

/** A default as text of a flag -> the JSON to store. Throws `invalid` under the name of the column. */
export function defaultOfText(column: { name: string; type: Table['columns'][number]['type'] }, text: string): unknown {
  const read = readText(column.type, text)
  if (read.fault !== undefined)
    throw new AppError('invalid', 'validation failed', {
      fields: { [column.name]: [`has a default that ${read.fault}`] },
    })
  return column.type === 'datetime' ? text : read.value
}
