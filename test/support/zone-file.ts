import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ZONE_FILE } from '../../src/platform/time/zone-file.ts'

const CHUNK = 8 << 20
const utf16 = (text: string) => Buffer.from(`${text}\0`, 'utf16le')

/** The program of Node is more than a hundred megabytes, and is searched once in a process. */
let found: Buffer | undefined

/** The time zone rules that are inside the program of Node, as the file that ICU also reads. The caller may change these bytes. */
export function builtInZones(): Buffer {
  return Buffer.from((found ??= search(process.execPath)))
}

function search(node: string): Buffer {
  const fd = openSync(node, 'r')
  try {
    const { size } = fstatSync(fd)
    const wanted = utf16(process.versions.tz!)
    // The parts overlap by more than a whole bundle takes.
    for (let from = 0; from < size; from += CHUNK / 2) {
      const part = Buffer.alloc(CHUNK)
      const bytes = part.subarray(0, readSync(fd, part, 0, CHUNK, from))
      const at = bytes.indexOf(wanted)
      if (at < 0) continue
      const begin = bytes.lastIndexOf(Buffer.from('ResB'), at) - 12
      if (begin < 0 || bytes[begin + 2] !== 0xda || bytes[begin + 3] !== 0x27) continue
      const header = bytes.readUInt16LE(begin)
      const end = begin + header + bytes.readUInt32LE(begin + header + 16) * 4
      if (end <= bytes.length) return Buffer.from(bytes.subarray(begin, end))
    }
  } finally {
    closeSync(fd)
  }
  throw new Error(`no time zone rules were found in ${node}`)
}

/** Puts the rules of Node into a folder under the name of another release; returns their bytes. */
export function putZones(folder: string, release: string): Buffer {
  const bytes = builtInZones()
  utf16(release).copy(bytes, bytes.indexOf(utf16(process.versions.tz!)))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, ZONE_FILE), bytes)
  return bytes
}
