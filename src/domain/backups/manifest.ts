import { isPlainObject, parseJsonBytes } from '../../platform/json/json.ts'

/** What stands beside a backup, in `<name>.json`: enough to tell a cut file, another key and a newer schema before it is opened. */
export interface Manifest {
  format: 1
  /** Version of the program that made it. */
  program: string
  /** When the copy was begun (ISO 8601, UTC): it contains everything that was committed before. */
  takenAt: string
  bytes: number
  /** SHA-256 of the file, hex. */
  sha256: string
  /** The newest migration step. */
  schema: string
  /** Check value of the master key, which reveals nothing about it; null when the database has none yet. */
  keyCheck: string | null
  /** Rows of each table. */
  tables: Record<string, number>
}

/** The name of a backup that we choose: `appsvc-20261123T181247Z.sqlite`. */
export function nameAt(ms: number): string {
  return `appsvc-${new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '')}.sqlite`
}

/** Whether we chose this name. Only such files are deleted. */
export const isOwnName = (name: string): boolean => /^appsvc-\d{8}T\d{6}Z\.sqlite$/.test(name)

export const manifestName = (name: string): string => `${name}.json`
/** The master key, when an operator wants it beside. */
export const keyName = (name: string): string => `${name}.key`

/** The name of a database whose restore is not complete. */
export const restoringFile = (database: string): string => `${database}.restoring`

/** Undefined when the text is no manifest that this version knows. */
export function readManifest(text: string): Manifest | undefined {
  let value: unknown
  try {
    value = parseJsonBytes(Buffer.from(text))
  } catch {
    return undefined
  }
  if (!isPlainObject(value) || value.format !== 1) return undefined
  const { program, takenAt, bytes, sha256, schema, keyCheck, tables } = value
  const isWhole =
    typeof program === 'string' &&
    typeof takenAt === 'string' &&
    !Number.isNaN(Date.parse(takenAt)) &&
    Number.isSafeInteger(bytes) &&
    typeof sha256 === 'string' &&
    typeof schema === 'string' &&
    (keyCheck === null || typeof keyCheck === 'string') &&
    isPlainObject(tables) &&
    Object.values(tables).every((rows) => Number.isSafeInteger(rows))
  if (!isWhole) return undefined
  return {
    format: 1,
    program,
    takenAt,
    bytes: bytes as number,
    sha256,
    schema,
    keyCheck,
    tables: tables as Record<string, number>,
  }
}

/** Rows of all tables together. */
export function rowsIn({ tables }: Pick<Manifest, 'tables'>): number {
  return Object.values(tables).reduce((sum, rows) => sum + rows, 0)
}
