import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { readSecret } from '../../../src/cli/input/files.ts'
import type { Io } from '../../../src/cli/process/io.ts'

const MARK = '\uFEFF'
const WRITTEN: [string, Buffer][] = [
  ['as it is', Buffer.from('grün 1')],
  ['with the line break of echo', Buffer.from('grün 1\n')],
  ['with the line break of Windows', Buffer.from('grün 1\r\n')],
  ['with the mark of an editor of Windows', Buffer.from(`${MARK}grün 1\r\n`)],
  ['in the UTF-16 of PowerShell', Buffer.from(`${MARK}grün 1\r\n`, 'utf16le')],
  ['in UTF-16 of the other order', Buffer.from(`${MARK}grün 1\n`, 'utf16le').swap16()],
]

describe('a secret in a file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-secret-'))
  for (const [how, bytes] of WRITTEN) {
    it(`is the same ${how}, from a file and from standard input`, async () => {
      const file = join(dir, 'secret')
      writeFileSync(file, bytes)
      const io = { stdin: Readable.from([bytes]) } as unknown as Io
      expect(await readSecret(io, file, '--password-file')).to.equal('grün 1')
      expect(await readSecret(io, '-', '--password-file')).to.equal('grün 1')
    })
  }

  it('keeps spaces and a second line break, which may belong to it', async () => {
    const file = join(dir, 'spaces')
    writeFileSync(file, ' a b \n\n')
    expect(await readSecret({} as Io, file, '--password-file')).to.equal(' a b \n')
  })
})
