import { expect } from 'chai'
import { importRecords } from '../../../../src/domain/tables/files/import.ts'
import type { FileLine } from '../../../../src/domain/tables/files/json-lines.ts'

describe('an import of records', () => {
  it('stores few rows at once where they are large', async () => {
    let bytes = 0
    async function* lines(): AsyncGenerator<FileLine> {
      for (let line = 1; line <= 40; line++) {
        bytes += 1024 * 1024
        yield { line, fields: {} }
      }
    }
    const progress: number[] = []
    const done = await importRecords({
      appId: 1,
      alias: '1_books',
      lines: lines(),
      inTransaction: async <T>() => [] as T,
      keepIds: false,
      raw: false,
      fromLine: 1,
      bytesRead: () => bytes,
      onRefused() {},
      onProgress: ({ line }) => void progress.push(line),
    })
    expect(progress).to.deep.equal([8, 16, 24, 32, 40])
    expect(done).to.deep.equal({ imported: 40, refused: 0, line: 40 })
  })
})
