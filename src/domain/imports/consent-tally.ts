import { setImmediate } from 'node:timers/promises'
import { BATCH_BYTES } from '../../platform/concurrency/chunks.ts'
import { CompactMap } from '../../platform/text/compact-map.ts'
import type { Here, StandingInstall } from '../crm/adoption/types.ts'
import { type Reading, type ReadRow, readExport } from './read/export.ts'
import type { Ready } from './types.ts'

/** Consent after an import: the devices of an export, each once, by their state here. */
export interface ConsentCounts {
  /** Pushes reach them. */
  subscribed: number
  optedOut: number
  /** Opted-out devices that had not opted out before this import. */
  optedOutByThisImport: number
  /** Devices about which the export does not say: taken as subscribed, or refused where the service could have said it. */
  unknown: number
  /** Devices that did not opt out, and have no token. */
  unreachable: number
}

/** The candidates of a row that can be stored. */
interface Rows {
  ready: readonly Ready[]
}

/** Rows between two looks at the database. */
const ROWS_AT_ONCE = 2000

/** Bits of the state of a device. */
const OFF = 1
const TOKEN = 2
const SAID = 4
/** Bit of a person who had not opted out before this import. */
const BY_IMPORT = 8

export interface TallyParts {
  /** The installs that are here with these ids or tokens. */
  standing(installIds: readonly string[], tokens: readonly string[]): Promise<Here>
  /**
   * True while nothing is stored yet: devices that are not here would be made, and opt-outs would be taken over. Else
   * devices that are not here were refused.
   */
  foresees: boolean
  /** True with `foresees` when opt-outs change nothing that is here. */
  keeps: boolean
  /** True when a device whose export does not say is subscribed, because the operator says so. */
  assumes: boolean
}

/**
 * Counts devices by their state here, or the one that they would have. A device that several rows name counts once.
 * Where a phone has come by itself with the token, that phone counts.
 */
export function createConsentTally({ standing, foresees, keeps, assumes }: TallyParts) {
  let states = new Uint8Array(1024)
  let size = 0
  let refused = 0
  /** `i` and an install id, `t` and a token, `r` and a row here -> the index of its state. */
  const known = new CompactMap()

  function begin(state: number, ...names: readonly string[]): number {
    if (size === states.length) {
      const larger = new Uint8Array(size * 2)
      larger.set(states)
      states = larger
    }
    states[size] = state
    for (const name of names) known.set(name, size)
    return size++
  }

  function stateOf({ row, enabled, token }: StandingInstall): number {
    const name = `r${row}`
    return known.get(name) ?? begin((enabled ? 0 : OFF) | (token === null ? 0 : TOKEN), name)
  }

  function add(one: Ready & { installId: string }, { byId, byToken }: Here): void {
    const own = byId.get(one.installId)
    const token = one.token?.token
    const holders = (token !== undefined && byToken.get(token)) || []
    const here = holders[0] ?? own
    const names = [`i${one.installId}`, ...(token === undefined ? [] : [`t${token}`])]
    let at = here ? stateOf(here) : names.map((name) => known.get(name)).find((found) => found !== undefined)
    if (at === undefined) {
      if (!foresees) return
      at = begin(one.token ? TOKEN : 0, ...names)
    } else for (const name of names) if (known.get(name) === undefined) known.set(name, at)
    if (one.isSaid || assumes) states[at]! |= SAID
    if (!foresees || one.enabled || own?.enabled === false || (keeps && here)) return
    if (!(states[at]! & OFF)) states[at]! |= OFF | BY_IMPORT
  }

  return {
    /** Counts the devices of some rows. */
    async add(rows: readonly Rows[]): Promise<void> {
      const devices = rows.flatMap(({ ready }) => ready.filter((one) => one.installId !== null)) as (Ready & {
        installId: string
      })[]
      if (devices.length === 0) return
      const here = await standing(
        devices.map(({ installId }) => installId),
        devices.flatMap(({ token }) => token?.token ?? []),
      )
      for (const one of devices) add(one, here)
    },

    /** Devices that are refused because their export does not say. */
    addRefused(devices: number): void {
      refused += devices
    },

    counts(): ConsentCounts {
      const counts = { subscribed: 0, optedOut: 0, optedOutByThisImport: 0, unknown: refused, unreachable: 0 }
      for (const state of states.subarray(0, size)) {
        if (state & OFF) counts.optedOut++
        else if (!(state & TOKEN)) counts.unreachable++
        else if (state & SAID) counts.subscribed++
        else counts.unknown++
        if (state & BY_IMPORT) counts.optedOutByThisImport++
      }
      return counts
    },
  }
}

export type ConsentTally = ReturnType<typeof createConsentTally>

/** Counts the devices of the first rows of an export by their state here, after they were imported. */
export async function tallyExport(
  reading: Omit<Reading, 'from'>,
  rows: number,
  {
    withoutErased,
    ...parts
  }: Pick<TallyParts, 'standing' | 'assumes'> & {
    /** Removes users and devices that were erased here from the rows. */
    withoutErased?(rows: readonly Rows[]): Promise<{ rows: readonly Rows[] }>
  },
): Promise<Omit<ConsentCounts, 'optedOutByThisImport'>> {
  const tally = createConsentTally({ ...parts, foresees: false, keeps: false })
  let batch: ReadRow[] = []
  let bytes = 0
  let count = 0
  const flush = async () => {
    const given = batch.flatMap((row) => ('ready' in row ? [row] : []))
    await tally.add((await withoutErased?.(given))?.rows ?? given)
    batch = []
    bytes = 0
    await setImmediate()
  }
  for await (const row of readExport(reading)) {
    // Behind the last row the file ends by itself: leaving earlier would leave it open.
    if (count++ === rows) break
    batch.push(row)
    bytes += row.bytes.length
    if ('unsaid' in row) tally.addRefused(row.unsaid ?? 0)
    if (batch.length === ROWS_AT_ONCE || bytes >= BATCH_BYTES) await flush()
  }
  await flush()
  const { optedOutByThisImport: _, ...counts } = tally.counts()
  return counts
}
