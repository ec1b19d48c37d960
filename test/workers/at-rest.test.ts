import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { firstLine, killAll, start } from '../cli/cli.ts'
import { type Appliance, openAppliance } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { basic } from '../support/http.ts'
import { readImports, readTree } from '../support/imports.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Large libraries that few servers use, and the whole of node-forge, of which two parts do. */
const LATE = [
  /^@aws-sdk\//,
  /^@nats-io\//,
  /^@simplewebauthn\/server$/,
  /^koa-body$/,
  /^node-forge$/,
  /^qrcode$/,
  /^yaml$/,
  /^cli-progress$/,
]

/** The packages that a file loads when it is loaded, with the way to each; what `import()` loads is loaded when it runs. */
function loadedBy(entry: string): Map<string, string[]> {
  const tree = readTree(ROOT, ['src', 'migrations'])
  const eager = new Map([...tree].map(([path, text]) => [path, text.replace(/\bimport\s*\(/g, 'later(')]))
  const byFile = Map.groupBy(
    readImports(eager).filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  )
  const found = new Map<string, string[]>()
  const ways = new Map([[entry, [entry]]])
  for (const [file, way] of ways)
    for (const { to } of byFile.get(file) ?? []) {
      if (to === undefined || ways.has(to)) continue
      if (tree.has(to)) ways.set(to, [...way, to])
      else found.set(to, way)
    }
  return found
}

describe('the threads of a server load', () => {
  for (const entry of ['src/workers/thread.ts', 'src/server/threads/http-thread.ts', 'src/server/index.ts']) {
    it(`nothing large that few need: ${entry}`, () => {
      const loaded = loadedBy(entry)
      expect(loaded.size).to.be.above(10)
      const early = [...loaded].filter(([name]) => LATE.some((late) => late.test(name)))
      expect(early).to.deep.equal([])
    })
  }
})

describe('a server at rest', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance | undefined
  after(async () => {
    killAll()
    await one?.close()
  })

  it('has one thread beside the one that speaks HTTP; those that send come with the first push', async () => {
    one = await openAppliance({ androids: 2 })
    const env = { PATH: process.env.PATH, ...one.environment, APPSVC_WORKERS_DELIVER: '2' }
    const child = start(['serve', '--port', '0', '--json', '--data-dir', one.dir], { env })
    const { listening } = await firstLine<{ listening: string }>(child)
    const threads = () => {
      const tasks = `/proc/${child.pid!}/task`
      return readdirSync(tasks).map((id) => readFileSync(join(tasks, id, 'comm'), 'utf8').trim())
    }
    const ours = () => threads().filter((name) => /^(background|deliver|http)/.test(name))
    await eventually(() => ours().length > 0, 'it works')
    expect(ours()).to.deep.equal(['background'])
    expect((await fetch(`${listening}/readyz`)).status).to.equal(200)
    const sent = await fetch(`${listening}/messages/v2/notifications`, {
      method: 'POST',
      headers: { authorization: basic(one.first.apiKey, one.first.serverKey), 'content-type': 'application/json' },
      body: JSON.stringify({ target: { broadcast: true }, content: { title: 't', message: 'm' } }),
    })
    expect(sent.status, await sent.text()).to.equal(202)
    await eventually(() => ours().length === 3, 'the others have started')
    expect(ours().sort()).to.deep.equal(['background', 'deliver-1', 'deliver-2'])
  })
})
