import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { NewApp } from '../../../src/domain/apps/types.ts'
import { LANGUAGES } from '../../../src/server/docs-page/languages.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { needs } from '../../support/needs.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

type Call = { method: string; path: string; key?: string; type?: string; body?: unknown }

// oxlint-disable-next-line typescript/no-implied-eval -- the page runs this text
const inLanguages = new Function(`${LANGUAGES}\nreturn inLanguages`)() as (
  call: Call,
  origin: string,
) => Record<string, string>

/** Words that run code which stands behind them. */
const RUN: Record<string, readonly [program: string, ...flags: string[]]> = {
  TypeScript: [process.execPath, '--input-type=module-typescript', '-e'],
  PHP: ['php', '-r'],
  Python: ['python3', '-c'],
}

describe('examples of the page of the interface in other languages', function () {
  this.timeout(PROGRAMS_MS)
  let server: TestServer
  let app: NewApp
  before(async () => {
    server = await openTestServer()
    app = await server.program.inTransaction((tx) => tx.apps.create({ name: 'Examples' }))
  })
  after(() => server.close())

  const environment = () => ({
    ...process.env,
    APPSVC_API_KEY: app.apiKey,
    APPSVC_SERVER_KEY: app.serverKey,
    APPSVC_SECRET_KEY: app.secretKey,
  })
  const type = 'application/json'
  const odd = `it's "quoted" \\ $HOME \${a} \n <?php ?> ü 😀`

  for (const language of Object.keys(RUN)) {
    it(`${language} sends the body as it is, and says what is answered`, async function () {
      if (language === 'PHP') needs(this, 'php')
      if (language === 'Python') needs(this, 'python3')
      const run = async (call: Call) => {
        const code = inLanguages(call, server.address)[language]!
        const [program, ...flags] = RUN[language]!
        const { stdout } = await promisify(execFile)(program, [...flags, code.replace(/^<\?php\n/, '')], {
          env: environment(),
        })
        return stdout
      }
      const user = { path: '/crm/v1/users/anna/attributes', key: 'serverKey' }
      expect(await run({ method: 'PUT', ...user, type, body: { odd, list: [1, null, true] } })).to.include('200')
      const stored = await run({ method: 'GET', ...user })
      expect(JSON.parse(stored.slice(stored.indexOf('{')))).to.deep.include({ odd, list: [1, null, true] })
      expect(await run({ method: 'GET', path: '/healthz' })).to.include('200')
      expect(await run({ method: 'GET', path: '/crm/v1/users/anna/attributes', key: 'deviceKey' })).to.include('401')
    })
  }

  it('are not there for a body that is no JSON', () => {
    expect(inLanguages({ method: 'POST', path: '/', type: 'multipart/form-data' }, 'http://a')).to.deep.equal({})
  })
})
