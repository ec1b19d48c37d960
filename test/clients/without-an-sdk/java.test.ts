import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { ROOT } from '../../cli/cli.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { usersPage } from '../../support/installs.ts'
import { needs } from '../../support/needs.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { uploadedEvents } from '../../support/uploaded.ts'

const SOURCE = join(ROOT, 'clients/without-an-sdk/Appsvc.java')
/** Port 9 (discard) of this machine, where nobody listens. */
const NOBODY = 'http://127.0.0.1:9'

/** Compiles the file and its driver for Java 8, where a warning is an error. Returns the directory of the classes. */
function compile(javac: string): string {
  const into = mkdtempSync(join(tmpdir(), 'appsvc-java-'))
  const drive = join(import.meta.dirname, 'Drive.java')
  execFileSync(javac, ['--release', '8', '-Xlint:all,-options', '-Werror', '-d', into, SOURCE, drive])
  return into
}

describe('the Java file for apps without an SDK', function () {
  this.timeout(PROGRAMS_MS)
  let test: TestServer
  let java: string
  let classes: string
  let directory: string
  const children: ChildProcessWithoutNullStreams[] = []
  before(async function () {
    const javac = needs(this, 'javac')
    java = join(dirname(javac), 'java')
    classes = compile(javac)
    test = await openTestServer()
  })
  beforeEach(async () => {
    await test.startOver()
    test.clock.set(Date.now())
    directory = join(mkdtempSync(join(tmpdir(), 'appsvc-phone-')), 'appsvc')
    mkdirSync(directory)
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await test?.close()
  })

  /** An app that was just started. `does` returns what each line led to. */
  const start = async ({ url = test.address, secretKey = test.first.secretKey } = {}) => {
    const { apiKey } = test.first
    const options = ['-XX:TieredStopAtLevel=1', '-Xshare:auto', '-cp', classes]
    const child = spawn(java, [...options, 'Drive', url, apiKey, secretKey, directory])
    children.push(child)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => String((await lines.next()).value)
    return {
      install: await next(),
      async does(...line: string[]) {
        child.stdin.write(`${line.join('\t')}\n`)
        return next()
      },
      async end() {
        child.stdin.end()
        await once(child, 'close')
      },
    }
  }
  /** An install as servers see it, with its user. */
  const seen = async (install: string) => {
    const user = (await test.program.crm.showInstall(test.first.id, install)).userIdentifier
    const { body } = await test.call('GET', `/crm/v1/users/${encodeURIComponent(user)}`)
    const { installs } = body as { installs: (Record<string, unknown> & { id: string })[] }
    return { ...installs.find(({ id }) => id === install)!, user } as Record<string, unknown>
  }
  const waiting = () => readdirSync(join(directory, 'events'))

  it('hands over install, token and user, and reports what became of a push', async () => {
    await withAndroids(test, 0)
    const app = await start()
    expect(app.install).to.match(/^[0-9a-f-]{36}$/)
    expect(await app.does('started', 'Pixel "8" \\ ü')).to.equal('true')
    expect(await app.does('token', 'token-of-java', 'true')).to.equal('true')
    expect(await app.does('user', 'anna@example.com')).to.equal('true')
    const shown = await seen(app.install)
    expect(shown).to.include({ user: 'anna@example.com', subscribedToPushNotifications: true, os: 'Android' })
    expect(shown).to.include({ deviceModel: 'Pixel "8" \\ ü', timezone: 'Europe/Berlin', appVersion: '2.3.1' })

    const body = { target: { userIds: ['anna@example.com'] }, content: { title: 'T', message: 'M' } }
    const sent = await test.call('POST', '/messages/v2/notifications', { body })
    const { id } = (sent.body as { notification: { id: number } }).notification
    await fanOut(test)
    const { sender, sent: tokens } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    expect(tokens).to.deep.equal(['token-of-java'])
    expect(await app.does('push', 'delivered', String(id))).to.equal('true')
    expect(await app.does('push', 'opened', String(id))).to.equal('true')
    const opens = await test.call('GET', `/messages/notifications/${id}/install-opens`)
    expect(opens.body).to.have.length(1)
    expect(await app.does('nobody')).to.equal('true')
    expect((await seen(app.install)).user).to.equal(app.install)
    await app.end()
  })

  it('keeps everything while the server is away, over a restart of the app, and sends it in its order', async () => {
    const offline = await start({ url: NOBODY })
    expect(await offline.does('user', 'anna')).to.equal('false')
    for (const n of ['1', '2', '3']) expect(await offline.does('track', 'cart.added', `{"n": ${n}}`)).to.equal('false')
    await offline.end()
    expect(waiting()).to.have.length(4)
    const online = await start()
    expect(online.install).to.equal(offline.install)
    expect(await online.does('flush')).to.equal('true')
    expect(waiting()).to.deep.equal([])
    const stored = (await uploadedEvents(test.program, test.first.id)).filter(({ type }) => type === 'cart.added')
    expect(stored.map(({ data }) => data)).to.deep.equal([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(stored.map(({ userIdentifier }) => userIdentifier)).to.deep.equal(['anna', 'anna', 'anna'])
    await online.end()
  })

  it('keeps everything while its keys are wrong, and loses only what the server refuses for good', async () => {
    const locked = await start({ secretKey: 'dk_wrong' })
    expect(await locked.does('track', 'cart.added', '{}')).to.equal('false')
    await locked.end()
    expect(waiting()).to.have.length(1)
    const app = await start()
    expect(await app.does('track', 'broken', '{no json')).to.equal('true')
    expect(waiting()).to.deep.equal([])
    expect(await app.does('track', 'cart.added', '{"n": 2}')).to.equal('true')
    const stored = await uploadedEvents(test.program, test.first.id)
    expect(stored.map(({ data }) => data)).to.deep.equal([{ n: 2 }])
    await app.end()
  })

  it('takes any identifier, and leaves out half a file', async () => {
    const app = await start()
    writeFileSync(join(directory, 'events', '0000.new'), '{"type": "ha')
    for (const identifier of ['a"b\\c', 'tab and ü 😀', 'two\\nlines', '{"x": 1}']) {
      expect(await app.does('user', identifier)).to.equal('true')
      const { users } = await usersPage(test.program, test.first.id, 1, 100)
      expect(users.map((user) => user.identifier)).to.include(identifier.replace('\\n', '\n'))
    }
    expect(await app.does('token', 'a-token', 'false')).to.equal('true')
    expect((await seen(app.install)).subscribedToPushNotifications).to.equal(false)
    await app.end()
  })
})

describe('the files for apps without an SDK', () => {
  const directory = join(ROOT, 'clients/without-an-sdk')
  for (const name of readdirSync(directory))
    it(`${name} has at most 120 lines`, () => {
      expect(readFileSync(join(directory, name), 'utf8').trimEnd().split('\n').length).to.be.at.most(120)
    })

  it('the Java file knows no Android', () => {
    expect(readFileSync(SOURCE, 'utf8')).to.not.match(/^import (?:static )?(?!static|java\.)/m)
  })
})
