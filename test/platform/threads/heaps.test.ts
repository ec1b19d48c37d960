import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { SEMI_SPACE_MB } from '../../../src/platform/threads/heaps.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')

/** Prints how large the heap may be (MB) of a thread that is started with the limits of a delivery thread. */
const PROGRAM = `
  import { Worker } from 'node:worker_threads'
  import { heapOf } from '${ROOT}/src/platform/threads/heaps.ts'
  const code = "import v8 from 'node:v8'; console.log(v8.getHeapStatistics().heap_size_limit / 2 ** 20)"
  new Worker(new URL('data:text/javascript,' + code), { resourceLimits: heapOf('deliver') })`

describe('the heaps of threads', () => {
  it('are as large as their kind says, whatever the flag of the process', async () => {
    for (const flags of [[], ['--max-semi-space-size=1'], ['--max-semi-space-size=64']]) {
      const { stdout } = await run(process.execPath, [...flags, '--input-type=module', '--eval', PROGRAM])
      expect(Number(stdout), flags.join()).to.equal(256 + 3 * SEMI_SPACE_MB.deliver)
    }
  })

  it('have the size of the main thread in the flag of bin/own-node.js, too', () => {
    const source = readFileSync(join(ROOT, 'bin/own-node.js'), 'utf8')
    expect(source).to.include(`'--max-semi-space-size=${SEMI_SPACE_MB.main}'`)
  })
})
