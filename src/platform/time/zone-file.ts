import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'

/** The time zone rules of ICU as one file, newer than those in this program. */
export const ZONE_FILE = 'zoneinfo64.res'

/** From here ICU takes the folder with that file, once, when the process starts. */
export const ZONE_VARIABLE = 'ICU_TIMEZONE_FILES_DIR'

/** A release of the rules, such as `2026a`. Releases sort as text. */
export const ZONE_RELEASE = /^20\d\d[a-z]$/

/** What is in a folder for time zone rules; `why` says why the file in it cannot be used. */
export type ZoneFile = { state: 'absent' } | { state: 'unusable'; why: string } | { state: 'usable'; release: string }

const MOST_BYTES = 16 << 20

/** Where the rules are looked for: the setting `timezones.dir`, else `timezones` in the data directory. */
export function zoneFolder(config: { 'timezones.dir': string; dataDir: string }): string {
  return config['timezones.dir'] === '' ? join(config.dataDir, 'timezones') : config['timezones.dir']
}

/** Reads what is in a folder. ICU itself checks nothing: with a broken file it knows no zone at all. */
export function readZoneFile(folder: string): ZoneFile {
  const file = join(folder, ZONE_FILE)
  try {
    if (statSync(file).size > MOST_BYTES) return { state: 'unusable', why: 'it is too large' }
    return judgeZoneFile(readFileSync(file))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'absent' }
    return { state: 'unusable', why: messageOf(error) }
  }
}

/** Judges the bytes of a file: a resource bundle (`ResB`, version 2 or 3, little-endian) with the release of its rules. Pure. */
export function judgeZoneFile(bytes: Buffer): ZoneFile {
  const isBundle =
    bytes.length >= 64 && bytes[2] === 0xda && bytes[3] === 0x27 && bytes.toString('latin1', 12, 16) === 'ResB'
  if (!isBundle) return { state: 'unusable', why: 'it is no resource bundle of ICU' }
  if (bytes[8] !== 0)
    return { state: 'unusable', why: 'it is for processors of the other byte order: take the one of 44/le' }
  const header = bytes.readUInt16LE(0)
  // The third of the indexes behind the root says where the bundle ends, in words of four bytes.
  const words = bytes.length >= header + 20 ? bytes.readUInt32LE(header + 16) : Number.POSITIVE_INFINITY
  if (header + words * 4 > bytes.length) return { state: 'unusable', why: 'it is cut off' }
  const release = /(?:^|\0)(20\d\d[a-z])\0/.exec(bytes.toString('utf16le'))?.[1]
  return release === undefined
    ? { state: 'unusable', why: 'it names no release of the time zone rules' }
    : { state: 'usable', release }
}
