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

/** Keeps many of the objects that it makes until after a collection. V8 tells with the flag what it has decided about places that make them. */
const OUTLIVING = `
  import { keepNewObjectsYoung } from '${ROOT}/src/platform/threads/heaps.ts'
  if (process.argv.includes('young')) keepNewObjectsYoung()
  const kept = []
  const make = (i) => [i, { number: i, text: [i, i + 1] }]
  for (let i = 0; i < 1_000_000; i++) kept[i % 50_000] = make(i)`

describe('the heaps of threads', () => {
  it('get no new objects in their old generation once a server has asked for it', async () => {
    const flags = ['--max-semi-space-size=1', '--trace-pretenuring-statistics', '--input-type=module']
    const decided = async (...words: string[]) =>
      (await run(process.execPath, [...flags, '--eval', OUTLIVING, ...words])).stdout
    expect(await decided()).to.include('=> tenure')
    expect(await decided('young')).not.to.include('=> tenure')
  })

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
