import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { runCommandLine } from '../../src/cli/run.ts'
import { loadConfig } from '../../src/config.ts'
import { writeCursor } from '../../src/domain/followers/position.ts'
import { platforms } from '../../src/domain/gateways/registry.ts'
import { openProgram } from '../../src/open.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { routes } from '../../src/server/routes.ts'
import { addInstall } from '../support/installs.ts'
import { needs } from '../support/needs.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import {
  capture,
  firstLine,
  killAll,
  ROOT,
  type RunOptions,
  run as runAnywhere,
  start,
  temporaryDirectory,
} from './cli.ts'

describe('the small commands', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  after(() => {
    killAll()
    end()
  })

  before(async () => {
    await run(['apps', 'create', 'First'])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    for (const id of ['one', 'two', 'three']) await addInstall(program, 1, id, { user: `user-${id}` })
    await program.inTransaction((tx) => tx.crm.putAttributes(1, 'user-one', { city: 'Jena', bad: '\u001b[2J' }))
    await program.inTransaction(async (tx) => {
      const install = await tx.crm.ensureInstall(1, 'three', 1)
      const details = {
        os: { id: 1, version: '18.3' },
        app: { version: '4.2', target: 1 },
        device: { isSimulator: true },
      }
      await tx.crm.trackInstall(1, install, { ...details, ios: { push: { timeSensitive: true } } }, 1)
    })
    await program.close()
    await run(['notify'], { stdin: '{"target":{"broadcast":true},"content":{"title":"T","message":"m"}}' })
  })

  it('config show masks the password of the database and says where values come from', async () => {
    const environment = {
      APPSVC_DATABASE_URL: 'postgres://u:secretword@db:5432/x?password=secretword',
      APPSVC_LOG_LEVEL: 'warn',
    }
    for (const argv of [
      ['config', 'show'],
      ['config', 'show', '--json'],
    ]) {
      const { stdout, stderr, code } = await runAnywhere(argv, { environment })
      expect(code).to.equal(0)
      expect(stdout + stderr).to.not.include('secretword')
      expect(stdout).to.include('postgres://u:***@db:5432/x')
    }
    const shown = (await runAnywhere(['config', 'show', '--json'], { environment })).json<
      Record<string, { source: string }>
    >()
    expect(shown['log.level']).to.deep.equal({ value: 'warn', source: 'environment' })
    expect(shown.port).to.deep.equal({ value: 8080, source: 'default' })
  })

  it('config show --defaults is a settings file', async () => {
    const { stdout } = await runAnywhere(['config', 'show', '--defaults'])
    writeFileSync(join(dir, 'all.yaml'), stdout)
    expect((await runAnywhere(['config', 'check', '--config', join(dir, 'all.yaml')])).code).to.equal(0)
  })

  it('config check names every wrong setting at once and ends with 78', async () => {
    writeFileSync(join(dir, 'bad.yaml'), 'port: many\nlog:\n  level: loud\nhosst: x\n')
    const { code, stderr } = await runAnywhere(['config', 'check', '--config', join(dir, 'bad.yaml')])
    expect(code).to.equal(78)
    for (const word of ['port in', 'log.level in', 'hosst in']) expect(stderr).to.include(word)
  })

  it('config check looks at the file of authorities', async () => {
    const { code, stderr } = await runAnywhere(['config', 'check'], {
      environment: { APPSVC_GATEWAYS_CA_FILE: join(dir, 'none.pem') },
    })
    expect(code).to.equal(78)
    expect(stderr).to.include('gateways.caFile')
  })

  it('flags win over the environment, the environment over the file', async () => {
    writeFileSync(join(dir, 'own.yaml'), 'dataDir: /from-file\nhost: 0.0.0.0\ntimezone: Europe/Berlin\n')
    const environment = {
      APPSVC_CONFIG: join(dir, 'own.yaml'),
      APPSVC_DATA_DIR: '/from-environment',
      APPSVC_HOST: '::1',
    }
    const shown = (await runAnywhere(['config', 'show', '--json', '--data-dir', '/from-flag'], { environment })).json()
    expect(shown).to.deep.include({
      dataDir: { value: '/from-flag', source: 'flag' },
      host: { value: '::1', source: 'environment' },
      timezone: { value: 'Europe/Berlin', source: 'file' },
    })
  })

  it('init writes a settings file that changes nothing, and a private key; never over existing ones', async () => {
    const target = join(dir, 'fresh')
    const ran = await runAnywhere(['init', '--dir', target, '--json'])
    expect(ran.json()).to.deep.equal({
      config: join(target, 'appsvc.yaml'),
      masterKey: join(target, 'master.key'),
      dataDir: target,
    })
    expect(statSync(join(target, 'master.key')).mode & 0o777).to.equal(0o600)
    const key = readFileSync(join(target, 'master.key'), 'utf8')
    const shown = (await runAnywhere(['config', 'show', '--json', '--data-dir', target])).json<
      Record<string, { source: string }>
    >()
    expect(Object.values(shown).filter(({ source }) => source === 'file')).to.deep.equal([])
    expect((await runAnywhere(['init', '--dir', target])).code).to.equal(75)
    expect(readFileSync(join(target, 'master.key'), 'utf8')).to.equal(key)
  })

  it('migrate up, status and down tell their steps', async () => {
    const at = ['--data-dir', join(dir, 'schema'), '--json']
    const { applied } = (await runAnywhere(['migrate', 'up', ...at])).json<{ applied: string[] }>()
    expect(applied[0]).to.equal('0101_instance')
    expect((await runAnywhere(['migrate', 'up', ...at])).json()).to.deep.equal({ applied: [] })
    expect((await runAnywhere(['migrate', 'status', ...at])).json()).to.deep.equal({
      applied,
      pending: [],
      unknown: [],
      breaking: [],
    })
    expect((await runAnywhere(['migrate', 'down', ...at])).code).to.equal(64)
    expect((await runAnywhere(['migrate', 'down', '--yes', ...at])).json()).to.deep.equal({
      reverted: [applied.at(-1)],
    })
    expect((await runAnywhere(['migrate', 'status', ...at])).json()).to.deep.include({ pending: [applied.at(-1)] })
  })

  it('a schema newer than the program is refused with 78', async () => {
    const { default: Database } = await import('better-sqlite3')
    const file = join(dir, 'newer')
    await runAnywhere(['migrate', 'up', '--data-dir', file])
    const db = new Database(join(file, 'appsvc.sqlite'))
    db.exec("INSERT INTO schema_migrations (name, applied_at) VALUES ('9999_future', 1)")
    db.close()
    const { code, stderr } = await runAnywhere(['apps', 'list', '--data-dir', file])
    expect(code).to.equal(78)
    expect(stderr).to.include('9999_future')
  })

  it('routes lists every URL', async () => {
    const listed = (await runAnywhere(['routes', '--json'])).json<{ path: string; key: string }[]>()
    expect(listed).to.have.length(routes.length)
    expect((await runAnywhere(['routes'])).stdout).to.include('/v2/notifications')
  })

  it('users list and show give what the HTTP interface gives', async () => {
    const list = (await run(['users', 'list', '--json'])).json<{
      users: { identifier: string }[]
      totalUsers: number
    }>()
    expect(list.totalUsers).to.equal(list.users.length)
    expect(list.users.map(({ identifier }) => identifier)).to.include('user-two')
    const user = (await run(['users', 'show', 'user-one', '--json'])).json<{
      attributes: object
      installs: { id: string }[]
    }>()
    expect(user.attributes).to.deep.equal({ city: 'Jena', bad: '\u001b[2J' })
    expect(user.installs.map(({ id }) => id)).to.deep.equal(['one'])
    expect((await run(['users', 'show', 'user-one'])).stdout)
      .to.include('Jena')
      .and.not.include('\u001b')
    expect((await run(['users', 'list'])).stdout).to.not.include('\u001b')
    expect((await run(['users', 'show', 'nobody'])).code).to.equal(66)
    expect((await run(['users', 'list', '--page', '99', '--json'])).json()).to.deep.include({ users: [] })
  })

  it('installs and users show how an app was built, a simulator, and what iOS lets it do', async () => {
    const install = await run(['installs', 'show', 'three'])
    expect(install.stdout).to.match(/app +4\.2, debug\n/)
    expect(install.stdout).to.match(/simulator +yes\n/)
    expect(install.stdout).to.match(/time-sensitive +yes\n/)
    const said = { buildKind: 'debug', simulator: true, timeSensitive: true }
    expect((await run(['installs', 'show', 'three', '--json'])).json()).to.include(said)
    const user = await run(['users', 'show', 'user-three'])
    expect(user.stdout)
      .to.include('iOS 18.3 (simulator)')
      .and.include('4.2 (debug)')
      .and.include('yes (time-sensitive)')
    const { installs } = (await run(['users', 'show', 'user-three', '--json'])).json<{ installs: object[] }>()
    expect(installs[0]).to.include(said)
  })

  it('installs list walks by key, show names user and gateway', async () => {
    const first = (await run(['installs', 'list', '--limit', '2', '--json'])).json<{
      installs: { id: string }[]
      next: number
    }>()
    const rest = (await run(['installs', 'list', '--after', String(first.next), '--json'])).json<{
      installs: { id: string }[]
      next: null
    }>()
    expect([...first.installs, ...rest.installs].map(({ id }) => id)).to.deep.equal(['one', 'two', 'three'])
    expect(rest.next).to.equal(null)
    expect((await run(['installs', 'show', 'two', '--json'])).json()).to.include({
      id: 'two',
      userIdentifier: 'user-two',
      gateway: 'android',
    })
    expect((await run(['installs', 'show', 'none'])).code).to.equal(66)
  })

  it('notifications list, show and trace tell what is known', async () => {
    const list = (await run(['notifications', 'list', '--json'])).json<{
      notifications: { id: number }[]
      next: null
    }>()
    expect(list.notifications.map(({ id }) => id)).to.deep.equal([1])
    const shown = (await run(['notifications', 'show', '1', '--json'])).json<{
      status: number
      counts: { audience: number }
    }>()
    expect(shown.status).to.equal(1)
    expect((await run(['notifications', 'show', '1'])).stdout).to.match(/^state +queued$/m)
    expect((await run(['notifications', 'trace', '1', '--install', 'one', '--json'])).json()).to.include({
      install: 'one',
      state: 'waiting',
    })
    const some = (await run(['notifications', 'trace', '1', '--json'])).json<{ recipients: { install: string }[] }>()
    expect(some.recipients.map(({ install }) => install)).to.deep.equal(['one', 'two', 'three'])
    for (const argv of [
      ['show', '99'],
      ['trace', '99'],
      ['trace', '1', '--install', 'none'],
    ]) {
      expect((await run(['notifications', ...argv])).code, argv.join(' ')).to.equal(66)
    }
    expect((await run(['notifications', 'show', 'x'])).code).to.equal(64)
  })

  it('status says that no server runs and how much is under way', async () => {
    expect((await run(['status', '--json'])).json()).to.include({
      running: false,
      database: 'sqlite',
      apps: 1,
      unfinishedNotifications: 1,
    })
    expect((await run(['status'])).stdout).to.include('not running')
  })

  it('status says how far followers are, and which webhooks lag or are off', async () => {
    const status = async () =>
      (await run(['status', '--json'])).json<{
        followers: { name: string; lagSeconds: number }[]
        webhooks: { id: number; state: string; offReason?: string; lagSeconds: number }[]
      }>()
    const none = await status()
    expect([none.followers, none.webhooks]).to.deep.equal([[], []])
    expect((await run(['status'])).stdout)
      .to.not.include('FOLLOWER')
      .and.not.include('WEBHOOK')
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    let now = Date.now() - 3_600_000
    const program = openProgram({ config, clock: { ...systemClock, now: () => now } })
    await program.inTransaction(async (tx) => {
      for (const path of ['off', 'late', 'well']) await tx.webhooks.create(1, { url: `https://hooks.invalid/${path}` })
      await tx.webhooks.update(1, 1, { enabled: false })
      await tx.webhooks.update(1, 3, { types: ['nothing'] })
      const cursor = writeCursor(await tx.eventLog.end())
      for (const name of ['counting', 'nats:old']) await tx.followers.add({ name, appId: null, cursor })
    })
    await program.inTransaction((tx) => tx.events.record(1, { type: 'seen', data: null }))
    await program.close()
    now = Date.now()
    const { followers, webhooks } = await status()
    // NATS is switched off.
    expect(followers.map(({ name }) => name)).to.deep.equal(['counting'])
    expect(followers[0]!.lagSeconds).to.be.within(3000, 4500)
    expect(webhooks.map(({ id, state, offReason }) => [id, state, offReason])).to.deep.equal([
      [1, 'off', 'switched off by hand'],
      [2, 'on', undefined],
    ])
    expect(webhooks[1]!.lagSeconds).to.be.within(3000, 4500)
    const { stdout } = await run(['status'])
    expect(stdout)
      .to.match(/counting +\d{4} s/)
      .and.match(/1 +2 +\S+late +on +\d{4} s +appsvc webhooks attempts --app 1 2/)
  })

  it('completion prints scripts that bash can read', async () => {
    for (const shell of ['bash', 'zsh']) {
      const { stdout, code } = await runAnywhere(['completion', shell])
      expect(code).to.equal(0)
      expect(stdout).to.include('gateways').and.include('--service-account')
    }
    expect((await runAnywhere(['completion', 'tcsh'])).code).to.equal(64)
  })

  it('the bash script completes commands, flags and choices', async () => {
    const { stdout } = await runAnywhere(['completion', 'bash'])
    const lines = ['apps keys ', 'apps keys rotate --gr', 'gateways set 1 ', 'stat']
    const ask = lines.map(
      (line) =>
        `COMP_WORDS=(appsvc ${line}${line.endsWith(' ') ? '""' : ''}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _appsvc; echo "\${COMPREPLY[*]}"`,
    )
    const bash = spawnSync('bash', ['-c', [stdout, ...ask].join('\n')], { encoding: 'utf8' })
    expect(bash.stderr).to.equal('')
    expect(bash.stdout).to.equal(`rotate\n--grace\n${platforms.join(' ')}\nstatus\n`)
  })

  it('the fish script completes the same in its shell', async function () {
    const program = needs(this, 'fish')
    const ask = 'for line in "appsvc apps keys " "appsvc completion " "appsvc stat"; complete -C $line; end'
    const { stdout: script } = await runAnywhere(['completion', 'fish'])
    const fish = spawnSync(program, ['--no-config', '-c', `${script}\n${ask}`], { encoding: 'utf8' })
    expect(fish.stderr).to.equal('')
    expect(fish.stdout.split('\n').map((line) => line.split('\t')[0])).to.deep.equal([
      'rotate',
      'bash',
      'fish',
      'zsh',
      'status',
      '',
    ])
  })

  it('the zsh script can be read by its shell', async function () {
    const program = needs(this, 'zsh')
    const zsh = spawnSync(program, ['-n'], {
      input: (await runAnywhere(['completion', 'zsh'])).stdout,
      encoding: 'utf8',
    })
    expect([zsh.stderr, zsh.status]).to.deep.equal(['', 0])
  })

  it('the man page is one, for every command', async () => {
    const { stdout: page } = await runAnywhere(['help', '--man'])
    for (const word of ['.TH APPSVC 1', '.B appsvc channels create UUID', '.SH EXIT STATUS'])
      expect(page).to.include(word)
  })

  it('the man page has no mistake that mandoc finds', async function () {
    const program = needs(this, 'mandoc')
    const { stdout: page } = await runAnywhere(['help', '--man'])
    const lint = spawnSync(program, ['-Tlint', '-Wwarning'], { input: page, encoding: 'utf8' })
    expect(lint.stdout + lint.stderr).to.equal('')
  })

  it('docs/reference/commands.md is what the commands say', async () => {
    const { stdout } = await runAnywhere(['man', '--markdown'])
    expect(readFileSync(join(ROOT, 'docs/reference/commands.md'), 'utf8'), 'run npm run reference').to.equal(stdout)
  })

  it('push test without a server and without a gateway says what is missing', async () => {
    const none = await run(['push', 'test', '--install', 'one'])
    expect(none.code).to.equal(78)
    expect(none.stderr).to.include('has no android gateway')
    expect((await run(['push', 'test', '--install', 'nobody'])).code).to.equal(66)
    expect((await run(['push', 'test'])).code).to.equal(64)
    expect((await run(['push', 'test', '--install', 'one', '--wait', 'x'])).code).to.equal(64)
    expect((await run(['push', 'test', '--install', 'one', '--title', ''])).code).to.equal(65)
  })

  it('push test takes what the push says from a file, and sends nothing critical without the entitlement', async () => {
    const test = (saying: unknown, ...more: string[]) =>
      run(['push', 'test', '--install', 'one', '--file', '-', ...more], { stdin: JSON.stringify(saying) })
    const content = { title: 'T', message: 'M' }
    const critical = await test({ content, ios: { sound: { critical: true } } })
    expect(critical.code).to.equal(65)
    expect(critical.stderr).to.include('ios.sound.critical').and.include('gateways set --app APP ios --critical')
    expect((await test({ content, android: { importance: 'urgent' } })).stderr).to.include('android.importance')
    expect((await test({ content, android: { importance: 'high' } })).code).to.equal(78)
    expect((await test({ content: { template: 'gone' } })).stderr).to.include('content.template')
    expect((await test([])).code).to.equal(65)
    expect((await test({ content }, '--title', 'x')).code).to.equal(64)
  })

  it('push preview prints what each gateway would get, and ends with 65 when that is too large', async () => {
    const preview = (argv: string[], saying: unknown) =>
      runAnywhere(['push', 'preview', '-', ...argv], { stdin: JSON.stringify(saying) })
    const saying = { content: { title: 'T', message: 'M' }, ios: { subtitle: 'S' }, android: { channelId: 'orders' } }
    const all = (await preview(['--json'], saying)).json<{ gateways: { platform: string; payload: unknown }[] }>()
    expect(all.gateways.map(({ platform }) => platform)).to.deep.equal(platforms)
    expect(all.gateways[0]!.payload).to.have.nested.property('aps.alert.subtitle', 'S')
    const one = await preview(['android'], saying)
    expect(one.code).to.equal(0)
    expect(one.stdout)
      .to.match(/^android {2}\d+ of 4096 bytes\n/)
      .and.include('k.channel')
    const large = await preview(['ios'], { ...saying, ios: { subtitle: 'x'.repeat(4100) } })
    expect(large.code).to.equal(65)
    expect(large.stdout).to.include('too large')
    expect((await preview([], { content: {} })).stderr).to.include('content.title')
  })

  it('sandbox says where it is and how to point a server there, and ends with status 0', async () => {
    const sandbox = start(['sandbox', '--dir', join(dir, 'sandbox'), '--json'])
    const ready = await firstLine<{ urls: { http: string }; environment: Record<string, string> }>(sandbox)
    expect((await fetch(ready.urls.http)).status).to.equal(200)
    expect(existsSync(ready.environment.APPSVC_GATEWAYS_CA_FILE!)).to.equal(true)
    // Every one of these is a setting, or this command would refuse it.
    expect((await runAnywhere(['config', 'check'], { environment: ready.environment })).code).to.equal(0)
    const exit = once(sandbox, 'exit')
    sandbox.kill('SIGTERM')
    expect((await exit)[0]).to.equal(0)
  })

  it('sandbox refuses a wrong plan with the path of what is wrong', async () => {
    const ran = await runAnywhere(['sandbox', '--dir', join(dir, 'sandbox'), '--plan', '-', '--json'], {
      stdin: '{"rules":[{"x":1}]}',
    })
    expect(ran.code).to.equal(65)
    expect(ran.json<{ errors: object }>().errors).to.have.property('rules[0].x')
  })

  it('sandbox says which plan it cannot read, and which port it cannot have', async () => {
    const sandbox = (...flags: string[]) => runAnywhere(['sandbox', '--dir', join(dir, 'sandbox'), ...flags])
    const empty = await sandbox('--plan', '-')
    expect(empty.stderr).to.equal('appsvc: --plan is empty: it must contain one JSON value\n')
    expect(empty.code).to.equal(65)
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    for (const flag of ['--port', '--fcm-port']) {
      const ran = await sandbox(flag, port)
      expect(ran.stderr).to.include(`cannot listen on 127.0.0.1:${port}: another program has it; choose another`)
      expect(ran.code).to.equal(69)
    }
    taken.close()
  })

  it('a result that nobody got is a failure, also when the result is bad news', async () => {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left on device')) })
    const stderr = capture(false)
    const io = { stdin: Readable.from([]), stdout: full, stderr: stderr.stream, environment: {} }
    expect(await runCommandLine(['links', 'check', 'go.example.com', '--data-dir', data], io)).to.equal(69)
    expect(stderr.text()).to.equal('appsvc: the result could not be written: no space left on device\n')
  })

  it('nothing of all this left a lock behind', async () => {
    expect(existsSync(join(data, 'server.lock-journal'))).to.equal(false)
    const { lockDirectory } = await import('../../src/platform/files/lock.ts')
    ;(await lockDirectory(data, { waitMs: 0 })).release()
  })
})
