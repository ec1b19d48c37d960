import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeFile } from '../../src/cli/input/table-files.ts'
import { isAppError } from '../../src/platform/errors.ts'
import { skip } from '../support/skip.ts'
import { temporaryDirectory } from './cli.ts'

describe('a file of records', () => {
  const { dir, end } = temporaryDirectory()
  const here = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, environment: {} }
  after(end)

  it('is written in any number of pieces, without anybody who goes on listening', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    const file = join(dir, 'pieces.csv')
    const writer = await writeFile(here, file)
    for (let i = 0; i < 50; i++) await writer.write(`${i},${'x'.repeat(100_000)}\n`)
    await writer.end()
    // Warnings are told in the next turn.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(readFileSync(file, 'utf8').split('\n')).to.have.lengthOf(51)
    expect(warnings).to.deep.equal([])
  })

  it('says so when the disk is full', async function () {
    if (!existsSync('/dev/full')) skip(this, 'there is no /dev/full, as Linux has')
    const writer = await writeFile(here, '/dev/full')
    const error: unknown = await writer.write('x'.repeat(100_000)).catch((e: unknown) => e)
    expect(isAppError(error) && error.code).to.equal('unavailable')
    expect((error as Error).message).to.match(/cannot be written: .*no space/i)
  })
})
