/**
 * The container of a Debian package (deb(5)): an `ar` archive of three members, two of which are compressed `tar` archives. It is written here and not by
 * dpkg-deb, so that the same files give the same bytes on every Linux, as everything else that `npm run package` makes.
 */
import { gzipSync } from 'node:zlib'

/** A file or, with a path that ends in a slash, a directory of a package. It belongs to root. */
export interface PackageFile {
  /** From the root of the file system, without a slash before it. */
  path: string
  mode: number
  content: Buffer
}

/** A package of two lists of files, dated `date` (s). */
export function packageArchive(control: readonly PackageFile[], data: readonly PackageFile[], date: number): Buffer {
  return arArchive(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', gzipSync(tarArchive(control, date), { level: 9 })],
      // Level 9 takes three times as long as 6 for a third of a percent.
      ['data.tar.gz', gzipSync(tarArchive(data, date), { level: 6 })],
    ],
    date,
  )
}

/** ar(5): a line that says what follows, and for each member a header of sixty bytes before its content. */
export function arArchive(members: readonly (readonly [name: string, content: Buffer])[], date: number): Buffer {
  const parts = members.flatMap(([name, content]) => {
    const fields = [
      name.padEnd(16),
      String(date).padEnd(12),
      '0     ',
      '0     ',
      '100644  ',
      String(content.length).padEnd(10),
    ]
    return [Buffer.from(`${fields.join('')}\`\n`), content, Buffer.alloc(content.length % 2, '\n')]
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}

/** The members of an ar archive by name, in their order. */
export function arMembers(archive: Buffer): [name: string, content: Buffer][] {
  const members: [string, Buffer][] = []
  for (let at = 8; at < archive.length; ) {
    const name = archive.toString('latin1', at, at + 16).trim()
    const size = Number(archive.toString('latin1', at + 48, at + 58))
    members.push([name, archive.subarray(at + 60, at + 60 + size)])
    at += 60 + size + (size % 2)
  }
  return members
}

const BLOCK = 512

/** tar in its POSIX form (ustar), each file after the directories that lead to it, in the order of the alphabet. */
export function tarArchive(files: readonly PackageFile[], date: number): Buffer {
  const byPath = new Map(files.map((file) => [file.path, file]))
  for (const { path } of files) {
    for (const parent of parentsOf(path)) {
      if (!byPath.has(parent)) byPath.set(parent, { path: parent, mode: 0o755, content: Buffer.alloc(0) })
    }
  }
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  const blocks = sorted.flatMap((file) => [
    tarHeader(file, date),
    file.content,
    Buffer.alloc((BLOCK - (file.content.length % BLOCK)) % BLOCK),
  ])
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** `usr/bin/appsvc` -> `usr/`, `usr/bin/`. */
function parentsOf(path: string): string[] {
  const words = path.replace(/\/$/, '').split('/').slice(0, -1)
  return words.map((_, i) => `${words.slice(0, i + 1).join('/')}/`)
}

/** The header of one file: fields of fixed width, numbers as octal text, and a sum over all of it. */
function tarHeader({ path, mode, content }: PackageFile, date: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const name = `./${path}`
  if (name.length > 100) throw new Error(`${name} is longer than the 100 characters of a name in tar`)
  const number = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`
  const write = (text: string, at: number) => header.write(text, at, 'latin1')
  write(name, 0)
  write(number(mode, 8), 100)
  write(number(0, 8) + number(0, 8), 108)
  write(number(content.length, 12), 124)
  write(number(date, 12), 136)
  write(path.endsWith('/') ? '5' : '0', 156)
  write('ustar\x0000', 257)
  write('root', 265)
  write('root', 297)
  // The sum is taken with spaces in its own place.
  write(' '.repeat(8), 148)
  const sum = header.reduce((total, byte) => total + byte, 0)
  write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
