import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import packageJson from '../../../package.json' with { type: 'json' }
import { buildWebClient } from '../../../packaging/clients.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const run = promisify(execFile)
const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc')

/** A page of a developer; each line that begins with an error expected has one. */
const PAGE = `import { appsvc, type InboxItem, type PushState } from '@appsvc/web'

const app = appsvc.start({ url: 'https://app.example.com', apiKey: 'ak', secretKey: 'dk', worker: false })
const state: PushState = await app.push.ask()
const why: string | undefined = state.state === 'subscribed' ? state.why : state.why.trim()
const items: InboxItem[] = await app.inbox.list()
app.on('push.opened', ({ data, action }) => console.log(data.sku, action?.trim(), why, items[0]?.sentAt.getTime()))
app.track('cart.added', { value: 1 })
// @ts-expect-error There is no such event.
app.on('push.nothing', () => {})
// @ts-expect-error The keys are missing.
appsvc.start({ url: 'https://app.example.com' })
// @ts-expect-error A refusal has words.
state.state === 'denied' && state.why.toFixed()
`

describe('the package of the browser client', function () {
  this.timeout(PROGRAMS_MS)
  let directory: string
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'appsvc-web-client-'))
    await buildWebClient(join(directory, 'node_modules/@appsvc/web'))
  })

  it('has the version of the server, and everything that it names', () => {
    const home = join(directory, 'node_modules/@appsvc/web')
    const { version, exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
      version: string
      exports: { '.': Record<string, string>; './worker.js': string }
    }
    expect(version).to.equal(packageJson.version)
    for (const file of [...Object.values(exports['.']), exports['./worker.js'], 'README.md', 'LICENSE']) {
      expect(readFileSync(join(home, file)).length, file).to.be.above(100)
    }
  })

  for (const resolution of ['bundler', 'nodenext']) {
    it(`has types that hold for a page which is checked with ${resolution}`, async () => {
      writeFileSync(join(directory, 'page.mts'), PAGE)
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--types', '']
      const flags = [...options, '--module', module, '--moduleResolution', resolution, '--exactOptionalPropertyTypes']
      const { stdout } = await run(process.execPath, [TSC, ...flags, 'page.mts'], { cwd: directory }).catch(
        (error: unknown) => error as { stdout: string },
      )
      expect(stdout).to.equal('')
    })
  }
})
