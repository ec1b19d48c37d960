import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { makeVapidKey } from '../../src/domain/gateways/web/vapid-keys.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { lineOfExample } from '../support/example-line.ts'
import { ROOT, run, temporaryDirectory } from './cli.ts'
import { TINY_GIF } from './command-lines.ts'

/** Examples that a test cannot type, and why. That they parse is in every-command.test.ts. */
const NOT_TYPED: Record<string, string> = {
  'appsvc init --again': 'needs a database that is gone: lost-database.test.ts',
  'appsvc version --sbom > sbom.json': 'needs the packaged executable: packaging/smoke.ts',
  'appsvc demo': 'stays up: demo.test.ts',
  'appsvc demo --once': 'sends for half a minute: demo.test.ts',
  'appsvc admins create bert@example.com --name Bert --role marketer:1 --role viewer': 'needs an app: admins.test.ts',
  'appsvc admins create anna@example.com --role owner --password-file /run/secrets/anna':
    'needs a secret: admins.test.ts',
  'appsvc login https://push.example.com': 'asks another machine: remote-rules.test.ts',
  'appsvc login https://push.example.com --token-file token.txt': 'asks another machine',
  'appsvc logout': 'needs a login: remote-rules.test.ts',
  'appsvc logout https://push.example.com': 'needs a login',
  'appsvc whoami': 'needs a login: remote-rules.test.ts',
  'appsvc whoami --url https://push.example.com --json': 'asks another machine',
  'appsvc links check go.example.com': 'asks the internet: commands.test.ts',
  'appsvc links check go.example.com --json': 'asks the internet',
  'appsvc notify one.json --url https://push.example.com --api-key ak_… --server-key-file key.txt':
    'asks the internet: notify.test.ts',
  'appsvc restore /backup/appsvc.sqlite --data-dir ./restored --key-file master.key': 'needs a copy: backup.test.ts',
  'appsvc restore s3://my-bucket/bakery --key-file master.key': 'asks the internet: backup-s3.test.ts',
  'appsvc sandbox': 'stays up: pages of docs start it',
  'appsvc sandbox --port 8090 --dir ./sandbox': 'stays up',
  'appsvc sandbox --plan faults.json': 'stays up',
  'appsvc serve': 'stays up: pages of docs start it',
  'appsvc serve --port 9000 --data-dir /var/lib/appsvc': 'stays up',
  'appsvc serve --demo': 'stays up',
  'appsvc serve --sandbox': 'stays up',
  'appsvc worker --config /etc/appsvc.yaml': 'stays up: nodes.test.ts',
  'appsvc worker --config /etc/appsvc.yaml --metrics-port 9465': 'stays up',
  'appsvc db copy --to ./data-sqlite --with-key --database-url postgres://appsvc@db.example.com/appsvc':
    'asks the internet: postgres.test.ts',
}

/** Exit codes of commands that need no database; all others say that there is none, which they do behind their own checks. */
const WITHOUT_DATABASE: Record<string, number> = {
  'admins:create': 0,
  'apps:create': 0,
  completion: 0,
  'config:check': 0,
  'config:show': 0,
  doctor: 0,
  init: 0,
  man: 0,
  'migrate:status': 0,
  'migrate:up': 0,
  openapi: 0,
  'push:preview': 0,
  routes: 0,
  'templates:starters': 0,
  version: 0,
}

const CIRCLE = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [13.4, 52.5] },
  properties: { radius: 250 },
}
const LABELS = { heading: 'a', body: 'b', acceptAction: 'c', declineAction: 'd' }
const MESSAGE = { target: { broadcast: true }, content: { title: 'Hello', message: 'World' } }
const GOLD = { field: 'attributes.plan', op: 'equals', value: 'gold' }
const NEWS = {
  content: { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: '{{Title}}' }] } },
  tags: [{ title: 'Title', type: 'text' }],
}
/** Files that the reader has before typing an example. */
const FILES: Record<string, unknown> = {
  'banner.json': { link: 'spring', labels: LABELS },
  'bounds.json': CIRCLE,
  'change.json': { ttl: 3600 },
  'euro.json': { field: 'data.currency', op: 'equals', value: 'EUR' },
  'gold.json': GOLD,
  'own.json': { content: { title: 'Hello' } },
  'shown.json': { presentedWhen: 'next-open' },
  'sale.json': { content: MESSAGE.content },
  'shops.geojson': {
    type: 'FeatureCollection',
    features: [{ ...CIRCLE, properties: { name: 'Shop 1', radius: 90 } }],
  },
  'shipped.json': { content: MESSAGE.content },
  'templates.json': [],
  'links.json': {
    linkData: {},
    desktopWebFallbackUrl: 'https://example.com',
    mobileWebFallbackUrl: 'https://example.com',
  },
  'many.jsonl': MESSAGE,
  'message.json': { target: { broadcast: true }, template: 'news', content: {}, presentedWhen: 'never' },
  'news.json': NEWS,
  'office.json': { name: 'Office', boundsGeoJson: CIRCLE },
  'one.json': MESSAGE,
  'prompt.json': { type: 'bell' },
  'push.json': { content: { title: 'Hello', message: 'World' } },
  'to-everybody.json': MESSAGE,
  'values.json': { Title: 'Hello' },
  'welcome.json': NEWS,
}
const TEXTS: Record<string, string> = {
  'croissants.jpg': TINY_GIF,
  'etc/appsvc.yaml': 'log:\n  level: warn\n',
  'next.key': `${Buffer.alloc(32, 7).toString('base64')}\n`,
  'target.url': 'postgres://appsvc@db.invalid/appsvc\n',
  'unsubscribed.csv': 'anna@example.com\n',
}

const EXAMPLES = Object.entries(COMMANDS).flatMap(([id, { examples }]) =>
  (examples as string[]).map((one) => ({ id, example: one.replaceAll('<%= config.bin %>', 'appsvc') })),
)

describe('the examples of docs/reference/commands.md', () => {
  const { dir, end } = temporaryDirectory()
  const whereWeWere = process.cwd()
  let sandbox: Sandbox

  before(async () => {
    for (const name of ['etc', 'docs', 'backup']) mkdirSync(join(dir, name))
    for (const [name, value] of Object.entries(FILES)) writeFileSync(join(dir, name), JSON.stringify(value))
    for (const [name, text] of Object.entries(TEXTS)) writeFileSync(join(dir, name), text)
    sandbox = await startSandbox({ dir })
    await sandbox.close()
    copyFileSync(join(dir, `AuthKey_${sandbox.credentials.p8.keyId}.p8`), join(dir, 'AuthKey_ABC1234567.p8'))
    copyFileSync(join(dir, 'hcm.secret'), join(dir, 'client-secret.txt'))
    writeFileSync(join(dir, 'vapid.json'), JSON.stringify(makeVapidKey(0)))
    process.chdir(dir)
  })

  after(() => {
    process.chdir(whereWeWere)
    end()
  })

  it('are all in the page', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/commands.md'), 'utf8')
    expect(EXAMPLES.filter(({ example }) => !page.includes(`\n    ${example}\n`))).to.deep.equal([])
  })

  it('are typed, but for those in a list with a reason', () => {
    const all = new Set(EXAMPLES.map(({ example }) => example))
    expect(Object.keys(NOT_TYPED).filter((example) => !all.has(example))).to.deep.equal([])
  })

  for (const { id, example } of EXAMPLES) {
    if (example in NOT_TYPED) continue
    // A preview needs the database for people only.
    const asksPeople = id === 'push:preview' && / --(?:user|sample) /.test(example)
    const code = asksPeople ? 66 : (WITHOUT_DATABASE[id] ?? 66)
    it(`${example} ${code === 0 ? 'works' : 'gets as far as the database'}`, async () => {
      const { argv, stdin } = lineOfExample(example)
      // What the page keeps in directories of the machine is in that of the test here.
      const own = argv.map((word) => word.replace(/^\/(?=etc\/|backup\/|var\/)/, ''))
      const ran = await run(own, { stdin, environment: { APPSVC_DATA_DIR: `data-${id.replaceAll(':', '-')}` } })
      expect(ran.code, `${ran.stderr}\n${ran.stdout}`).to.equal(code)
      if (code === 66) expect(ran.stderr).to.include('there is no database in')
    })
  }
})
