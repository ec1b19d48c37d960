import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { makeVapidKey } from '../../src/domain/gateways/web/vapid-keys.ts'
import type { ConsentCounts } from '../../src/domain/imports/consent-tally.ts'
import type { ImportCounts } from '../../src/domain/imports/types.ts'
import { connect, type Database } from '../../src/platform/db/connect.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { wholeDatabase } from '../support/every-table.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { itOfShape, onEachDatabase } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, killAll, type RunOptions, run as runAnywhere, start, temporaryDirectory } from './cli.ts'

const EXPORTS = join(import.meta.dirname, '../domain/imports/exports')
const exported = (name: string) => join(EXPORTS, name)

const MAP_OF_OWN =
  'customer=user push_token=token os=platform endpoint_key=p256dh endpoint_auth=auth city=attr:city groups=channels said_no=opted_out'
    .split(' ')
    .flatMap((pair) => ['--map', pair])

interface Outcome extends ImportCounts {
  dryRun: boolean
  done: boolean
  consent: ConsentCounts
}

onEachDatabase('appsvc import', (kind) => {
  /** The story of an import is told on both databases always, the rest on the second one from `.ci/run` on. */
  const inDepth = itOfShape(kind)
  const { dir, end } = temporaryDirectory()
  const file = (name: string) => join(dir, name)
  let environment: Record<string, string> = { APPSVC_DATA_DIR: file('data') }
  let url: string | undefined
  let db: Database
  const run = (argv: string[], options?: RunOptions) => runAnywhere(argv, { ...options, environment })
  const importing = async (...argv: string[]) => {
    const ran = await run(['import', ...argv, '--yes', '--json'])
    return { ...ran, outcome: ran.stdout === '' ? undefined : ran.json<Outcome>() }
  }
  const installs = async (prefix: string): Promise<Record<string, unknown>[]> =>
    db.read('installs').whereLike('install_id', `${prefix}-%`).orderBy('install_id')
  const app = async () =>
    (await run(['apps', 'create', 'Shop', '--allow-duplicate', '--json'])).json<{ id: number }>().id

  before(async () => {
    if (kind === 'postgres') {
      url = await freshPostgresDatabase()
      environment = { ...environment, APPSVC_DATABASE_URL: url }
    }
    await run(['apps', 'create', 'First'])
    db = connect({ url, file: file('data/appsvc.sqlite'), log: silentLog })
  })
  after(async () => {
    killAll()
    await db.close()
    if (url) await dropPostgresDatabase(url)
    end()
  })

  inDepth('--dry-run shows what would become of the rows, and writes nothing', async () => {
    const before = await wholeDatabase(db.read)
    const flags = ['--tag-channel', 'news', '--create-channels', '--dry-run']
    const shown = await run(['import', 'onesignal', '1', exported('onesignal.csv'), ...flags])
    expect(shown.code, shown.stderr).to.equal(0)
    expect(shown.stdout).to.match(/android +2 +1 +1 +0/)
    expect(shown.stdout).to.match(/game_version +app version/)
    expect(shown.stdout).to.match(/left behind +email addresses \(1\)/)
    expect(shown.stdout).to.include('line 13: has 3 cells, but the header has 23')
    expect(shown.stdout).to.include('a1a1a1…a1a1').and.not.include('a1'.repeat(32))
    expect(shown.stderr).to.include('1 channel will be created: news (1)')
    expect(shown.stderr).to.include('--vapid-file imports them')
    const whole = await run(['import', 'onesignal', '1', exported('onesignal.csv'), ...flags, '--json'])
    expect(whole.json()).to.include({ dryRun: true, rows: 11, refused: 4, optedOut: 1 })
    expect(await wholeDatabase(db.read)).to.deep.equal(before)
  })

  inDepth('asks on a terminal, and writes nothing without an answer', async () => {
    const before = await wholeDatabase(db.read)
    const unasked = await run(['import', 'onesignal', '1', exported('onesignal.csv')])
    expect(unasked.code).to.equal(64)
    expect(unasked.stderr).to.include('add --yes to confirm')
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.on('resume', () => stdin.write('n\n'))
    const refused = await run(['import', 'onesignal', '1', exported('onesignal.csv')], { stdin, tty: true })
    expect(refused.stderr).to.include('Import this into app 1?').and.include('nothing was done')
    expect(await wholeDatabase(db.read)).to.deep.equal(before)
  })

  inDepth('with --yes the first refused rows are shown where no file keeps them', async () => {
    const argv = ['import', 'onesignal', String(await app()), exported('onesignal.csv'), '--yes']
    const shown = await run(argv)
    expect(shown.code, shown.stderr).to.equal(65)
    expect(shown.stdout).to.match(/4 rows refused\.[^]*\nline 13: has 3 cells, but the header has 23\n/)
    const kept = await run([...argv, '--errors', file('kept.csv')])
    expect(kept.stdout).to.not.include('line 13')
  })

  it('imports installs, users, attributes and channels; a second run changes nothing', async () => {
    const id = String(await app())
    const argv = ['onesignal', id, exported('onesignal.csv'), '--tag-channel', 'news', '--create-channels', '--numbers']
    const first = await importing(...argv, '--errors', file('refused.csv'))
    expect(first.code, first.stderr).to.equal(65)
    expect(first.outcome).to.deep.equal({
      dryRun: false,
      done: true,
      rows: 11,
      installs: 6,
      existing: 0,
      moved: 0,
      unreachable: 1,
      disabled: 1,
      users: 3,
      subscriptions: 1,
      suppressed: 0,
      left: 1,
      erased: 0,
      refused: 4,
      consent: { subscribed: 4, optedOut: 1, optedOutByThisImport: 1, unknown: 0, unreachable: 1 },
    })
    const refused = readFileSync(file('refused.csv'), 'utf8').split('\r\n')
    expect(refused[0]).to.equal('file,line,reason,row')
    expect(refused[1]).to.match(/,10,token must be the device token in hexadecimal,"1{8}-/)
    expect(refused.filter((line) => line !== '')).to.have.length(5)

    const anna = (await run(['users', 'show', 'anna', '--app', id, '--json'])).json<{ attributes: object }>()
    expect(anna.attributes).to.deep.equal({ plan: 'pro', level: 7 })
    const [row] = await installs('onesignal')
    expect(row).to.include({ token: 'a1'.repeat(32), platform: 1, timezone: 'Europe/Berlin', country_iso_code: 'DE' })
    expect(row).to.include({ app_version: '2.1.0', device_name: 'iPhone 14 Pro', last_active: 1_755_000_000_000 })
    const listed = await run(['users', 'list', '--app', id, '--json'])
    expect(listed.code, listed.stderr).to.equal(0)
    const members = await run(['channels', 'subscriptions', id, 'news', '--json'])
    expect(members.stdout).to.include('000000000001').and.not.include('000000000002')

    const before = await wholeDatabase(db.read)
    const again = await importing(...argv)
    expect(again.outcome).to.include({ installs: 0, users: 0, existing: 6, subscriptions: 0, refused: 4 })
    expect(await wholeDatabase(db.read)).to.deep.equal(before)
  })

  it('what an app has already stays: attributes, and a phone that came by itself', async () => {
    const id = await app()
    const device = { installId: 'own', token: 'own-fcm-token-0001' }
    await db.write(async (trx) => {
      const row = { app_id: id, first_active: 1, last_active: 1, created_at: 1, updated_at: 1 }
      const user = { ...row, identifier: 'kim', anonymous: false, listed: true, attributes: '{"city":"Bergen"}' }
      const [kim] = await trx('users')
        .insert({ ...user, install_count: 1 })
        .returning('id')
      const { first_active: _, ...install } = row
      await trx('installs').insert({
        ...install,
        install_id: device.installId,
        user_id: kim.id,
        platform: 2,
        token: device.token,
      })
    })
    const done = await importing('csv', String(id), exported('own.csv'), ...MAP_OF_OWN, '--suppress-opted-out')
    expect(done.outcome).to.include({ installs: 2, moved: 1, users: 2, suppressed: 1, refused: 2, subscriptions: 0 })
    const attributes = async (identifier: string) =>
      JSON.parse((await db.read('users').where({ app_id: id, identifier }).first('attributes')).attributes)
    expect(await attributes('kim')).to.deep.equal({ city: 'Bergen' })
    expect(await attributes('only-user')).to.deep.equal({ city: 'Rome' })
    const held = await db.read('installs').where({ app_id: id, token: device.token }).select('install_id')
    expect(held).to.deep.equal([{ install_id: 'own' }])
    const counts = await db
      .read('users')
      .where({ app_id: id })
      .orderBy('identifier')
      .select('identifier', 'install_count')
    expect(counts).to.deep.equal([
      { identifier: 'kim', install_count: 2 },
      { identifier: 'lea', install_count: 1 },
      { identifier: 'only-user', install_count: 0 },
    ])
  })

  inDepth('a user gets no more installs than limits.installsPerUser', async () => {
    const id = await app()
    environment = { ...environment, APPSVC_LIMITS_INSTALLS_PER_USER: '2' }
    writeFileSync(
      file('many.csv'),
      `user,token,platform\n${[1, 2, 3].map((i) => `zoe,zoes-token-${i},android\n`).join('')}`,
    )
    const done = await importing('csv', String(id), file('many.csv'))
    delete environment.APPSVC_LIMITS_INSTALLS_PER_USER
    expect(done.outcome).to.include({ installs: 2, refused: 1 })
  })

  const SOURCES: Readonly<Record<string, string[]>> = {
    onesignal: ['onesignal.csv'],
    parse: ['parse.jsonl'],
    firebase: ['firebase-users.json', 'firebase-tokens.csv'],
    airship: ['airship.pages'],
    pinpoint: ['pinpoint.jsonl'],
    expo: ['expo.jsonl'],
    csv: ['own.csv', ...MAP_OF_OWN],
  }
  // What is asked of the database is the same for all of them: the next test is for both.
  for (const [source, argv] of kind === 'sqlite' ? Object.entries(SOURCES) : []) {
    inDepth(`people and devices that were erased do not come back with a repeated import of ${source}`, async () => {
      const id = String(await app())
      const words = argv.map((word) => (/\.[a-z]+$/.test(word) ? exported(word) : word))
      const first = await importing(source, id, ...words)
      const known: { identifier: string }[] = await db.read('users').where({ app_id: id, anonymous: false })
      const devices: { install_id: string }[] = await db.read('installs').where({ app_id: id }).orderBy('id')
      const person = known[0]?.identifier
      const device = devices.at(-1)?.install_id
      if (person !== undefined) await run(['users', 'erase', person, '--app', id, '--yes', '--wait'])
      if (device !== undefined) await run(['installs', 'delete', device, '--app', id, '--yes', '--wait'])
      expect([person, device], first.stderr).to.not.deep.equal([undefined, undefined])
      const before = await wholeDatabase(db.read)
      const shown = await run(['import', source, id, ...words, '--dry-run'])
      expect(shown.stderr).to.match(/left out, because the user or the device was erased here: .*line \d+/)
      const again = await importing(source, id, ...words)
      expect(again.outcome).to.include({ installs: 0, users: 0, moved: 0 })
      expect(again.outcome!.erased).to.be.greaterThan(0)
      expect(again.stderr).to.include('--include-erased imports them')
      expect(await wholeDatabase(db.read)).to.deep.equal(before)
      const back = await importing(source, id, ...words, '--include-erased')
      expect(back.outcome!.erased).to.equal(0)
      const names = await db.read('users').where({ app_id: id, anonymous: false }).pluck('identifier')
      expect(new Set(names)).to.deep.equal(new Set(known.map(({ identifier }) => identifier)))
      const there = await db.read('installs').where({ app_id: id }).pluck('install_id')
      expect(new Set(there)).to.deep.equal(new Set(devices.map(({ install_id }) => install_id)))
    })
  }

  inDepth(
    'a later export that names the device without its erased user does not bring it back, under no id',
    async () => {
      const id = String(await app())
      writeFileSync(file('named.csv'), 'id,user,token,platform,attr:name\nphone,ines,ines-token,android,Ines\n')
      writeFileSync(
        file('unnamed.csv'),
        'id,user,token,platform,attr:name\nphone,,,android,Ines\nphone-2,,ines-token,android,Ines\nother,,other-token,android,\n',
      )
      expect((await importing('csv', id, file('named.csv'))).outcome).to.include({ installs: 1, users: 1 })
      await run(['users', 'erase', 'ines', '--app', id, '--yes', '--wait'])
      const done = await importing('csv', id, file('unnamed.csv'))
      expect(done.outcome, done.stderr).to.include({ installs: 1, erased: 2 })
      expect(done.stderr).to.include('2 rows left out').and.include('line 2; line 3')
      expect(await db.read('installs').where({ app_id: id }).pluck('install_id')).to.deep.equal(['csv-other'])
      expect(await db.read('users').where({ app_id: id }).pluck('attributes')).to.deep.equal(['{}'])
    },
  )

  inDepth(
    'a killed import continues with --resume, stores and refuses every row once, and leaves out who was erased meanwhile',
    async function () {
      this.timeout(PROGRAMS_MS)
      const id = String(await app())
      const rows = Array.from(
        { length: 4300 },
        (_, i) => `id-${i},u${i % 2900},${i % 100 === 7 ? '' : `token-${i}`},android`,
      )
      // Without a token, but with an id: unreachable. A platform that nobody knows: refused.
      const text = ['id,user,token,platform', ...rows, ...rows.slice(0, 40).map((row) => `x${row.slice(0, -7)}symbian`)]
      writeFileSync(file('big.csv'), gzipSync(`${text.join('\n')}\n`))
      const argv = ['import', 'csv', id, file('big.csv'), '--yes', '--json', '--errors', file('big-refused.csv')]
      for (const [i, failpoint] of ['import.stored:2', 'import.advanced:1'].entries()) {
        const resume = i === 0 ? [] : ['--resume']
        const killed = start([...argv, ...resume], {
          env: { ...process.env, ...environment, APPSVC_FAILPOINTS: failpoint },
        })
        expect(await ended(killed)).to.include({ signal: 'SIGKILL' })
      }
      // The first run had written its second batch and not committed it; the second run had.
      const stored = await db.read('imports').where({ app_id: id }).first()
      expect(stored).to.include({ place: 4000 })
      const left = (await run(['import', 'list', id, '--json'])).json<{ imports: { id: number; rows: number }[] }>()
      expect(left.imports).to.have.length(1)
      expect(left.imports[0]).to.include({ source: 'csv', rows: 4000 })
      expect((await run(['status'])).stdout).to.match(/unfinished imports +\d+ \(csv into app \d+, after 4000 rows\)/)
      // The first of their two installs is stored already.
      await run(['users', 'erase', 'u1100', '--app', id, '--yes', '--wait'])
      const done = await run([...argv, '--resume'])
      expect(done.code, done.stderr).to.equal(65)
      expect(done.json()).to.include({
        rows: 4340,
        installs: 4299,
        existing: 0,
        users: 2900,
        unreachable: 43,
        erased: 1,
        refused: 40,
      })
      expect(readFileSync(file('big-refused.csv'), 'utf8').trimEnd().split('\r\n')).to.have.length(41)
      const [counted] = await db
        .read('users')
        .where({ app_id: id })
        .sum({ installs: 'install_count' })
        .count({ users: '*' })
      expect({ installs: Number(counted!.installs), users: Number(counted!.users) }).to.deep.equal({
        installs: 4298,
        users: 2899,
      })
      const [listed] = await db.read('user_blocks').where({ app_id: id }).sum({ n: 'listed' })
      expect(Number(listed!.n)).to.equal(2899)
      expect(await db.read('imports')).to.deep.equal([])
      const none = await run([...argv, '--resume'])
      expect(none).to.include({ code: 66 })
      expect(none.stderr).to.include('leave --resume out')
    },
  )

  /** Consent as the database has it. */
  const stored = async (id: string): Promise<Omit<ConsentCounts, 'optedOutByThisImport' | 'unknown'>> => {
    const rows: { subscribed: unknown; notifications_enabled: unknown; token: string | null }[] = await db
      .read('installs')
      .where({ app_id: id })
    const off = rows.filter((row) => !row.notifications_enabled)
    const subscribed = rows.filter((row) => row.subscribed)
    expect(off.filter((row) => row.subscribed)).to.deep.equal([])
    return {
      subscribed: subscribed.length,
      optedOut: off.length,
      unreachable: rows.length - off.length - subscribed.length,
    }
  }
  const lastLine = (stdout: string) => stdout.trimEnd().split('\n').at(-1)
  const sentence = ({ subscribed, optedOut, optedOutByThisImport, unknown, unreachable }: ConsentCounts) =>
    `subscribed ${subscribed}, opted out ${optedOut} (of these ${optedOutByThisImport} by this import), unknown ${unknown}${unreachable ? `, unreachable ${unreachable}` : ''}`

  for (const [source, argv] of Object.entries(SOURCES)) {
    inDepth(
      `the last line of an import of ${source} says what became of consent, and the dry run foresees it`,
      async () => {
        const id = String(await app())
        const words = argv.map((word) => (/\.[a-z]+$/.test(word) ? exported(word) : word))
        for (const round of [1, 2]) {
          const shown = await run(['import', source, id, ...words, '--dry-run'])
          const foreseen = (await run(['import', source, id, ...words, '--dry-run', '--json'])).json<Outcome>().consent
          expect(lastLine(shown.stdout)).to.equal(sentence(foreseen))
          const { outcome, stderr } = await importing(source, id, ...words)
          expect(outcome!.consent, stderr).to.deep.equal(foreseen)
          const { optedOutByThisImport, unknown, ...counted } = outcome!.consent
          const here = await stored(id)
          expect({ ...counted, subscribed: counted.subscribed + unknown }).to.deep.equal(here)
          expect(optedOutByThisImport).to.equal(round === 1 ? here.optedOut : 0)
        }
        const said = await run(['import', source, id, ...words, '--yes'])
        expect(lastLine(said.stdout)).to.match(
          /^subscribed \d+, opted out \d+ \(of these 0 by this import\), unknown \d+/,
        )
      },
    )
  }

  it('a second export takes over who opted out since, nobody who opted out here comes back, and --keep leaves all as it is', async () => {
    const id = String(await app())
    const players = (types: Readonly<Record<string, number>>) => {
      const rows = Object.entries(types).map(
        ([name, type]) => `${name},0123456789-token-of-${name},1,${type},user-${name}`,
      )
      writeFileSync(
        file('later.csv'),
        `id,identifier,device_type,notification_types,external_user_id\n${rows.join('\n')}\n`,
      )
      return ['onesignal', id, file('later.csv')]
    }
    const on = async () =>
      (await db.read('installs').where({ app_id: id, subscribed: true }).orderBy('install_id').pluck('install_id')).map(
        (name: string) => name.replace('onesignal-', ''),
      )
    await importing(...players({ a: 1, b: 1, c: 1, d: 1, e: -2 }))
    expect(await on()).to.deep.equal(['a', 'b', 'c', 'd'])
    // Two phones came by themselves with their tokens; one of them has opted out here, and so has `c`.
    await db.write(async (trx) => {
      const of = (name: string) => trx('installs').where({ app_id: id, install_id: `onesignal-${name}` })
      await of('c').update({ notifications_enabled: false, subscribed: false })
      for (const name of ['d', 'e']) {
        const { id: _row, ...install } = await of(name).first()
        await of(name).update({ token: null, subscribed: false })
        await trx('installs').insert({
          ...install,
          install_id: `phone-${name}`,
          notifications_enabled: true,
          subscribed: true,
        })
      }
    })
    const later = players({ a: 1, b: -2, c: 1, d: -2, e: -2 })
    const kept = await importing(...later, '--keep')
    expect(await on()).to.deep.equal(['a', 'b', 'phone-d', 'phone-e'])
    expect(kept.outcome!.consent).to.deep.equal({
      subscribed: 4,
      optedOut: 1,
      optedOutByThisImport: 0,
      unknown: 0,
      unreachable: 0,
    })
    const foreseen = (await run(['import', ...later, '--dry-run', '--json'])).json<Outcome>().consent
    const taken = await importing(...later)
    // `e` had said no before, and yes on the phone since.
    expect(await on()).to.deep.equal(['a', 'phone-e'])
    expect(taken.outcome!.consent).to.deep.equal({
      subscribed: 2,
      optedOut: 3,
      optedOutByThisImport: 2,
      unknown: 0,
      unreachable: 0,
    })
    expect(foreseen).to.deep.equal(taken.outcome!.consent)
    const before = await wholeDatabase(db.read)
    expect((await importing(...later)).outcome!.consent.optedOutByThisImport).to.equal(0)
    expect(await wholeDatabase(db.read)).to.deep.equal(before)
    await importing(...players({ a: 1, b: 1, c: 1, d: 1, e: 1 }))
    expect(await on()).to.deep.equal(['a', 'phone-e'])
  })

  inDepth('a device that is there several times is opted out when any of its rows says so', async () => {
    const id = String(await app())
    const rows = [
      'a,token-a,android,yes',
      'a,token-a,android,no',
      'b,token-b,android,yes',
      'b-again,token-b,android,no',
      'c,token-c,android,no',
      'c-again,token-c,android,yes',
      // Behind the end of the first transaction.
      ...Array.from({ length: 2100 }, (_, i) => `x${i},token-x${i},android,yes`),
      'x0,token-x0,android,no',
      'x1-again,token-x1,android,no',
    ]
    writeFileSync(file('twice.csv'), ['id,token,platform,enabled', ...rows, ''].join('\n'))
    const argv = ['csv', id, file('twice.csv')]
    const foreseen = (await run(['import', ...argv, '--dry-run', '--json'])).json<Outcome>().consent
    const done = await importing(...argv, '--keep')
    const here = await stored(id)
    expect(here).to.deep.equal({ subscribed: 2098, optedOut: 5, unreachable: 0 })
    expect(done.outcome!.consent).to.deep.equal({ ...here, optedOutByThisImport: 5, unknown: 0 })
    expect(foreseen).to.deep.equal(done.outcome!.consent)
  })

  inDepth(
    'an export without the column of its service is refused as a whole, unless the operator says how to take it',
    async () => {
      const id = String(await app())
      const lines = ['id,identifier,device_type', 'p1,0123456789-default-1,1', 'p2,0123456789-default-2,1']
      writeFileSync(file('default.csv'), lines.join('\n'))
      const argv = ['onesignal', id, file('default.csv')]
      const shown = await run(['import', ...argv, '--dry-run'])
      expect(shown.code).to.equal(0)
      expect(shown.stderr).to.include(
        'The devices of the export have no notification_types, so nobody knows who opted out',
      )
      expect(lastLine(shown.stdout)).to.equal('subscribed 0, opted out 0 (of these 0 by this import), unknown 2')
      const before = await wholeDatabase(db.read)
      const refused = await run(['import', ...argv, '--yes'])
      expect(refused.code).to.equal(65)
      expect(refused.stderr).to.include('"extra_fields": ["notification_types", …]').and.include('--assume-subscribed')
      expect(await wholeDatabase(db.read)).to.deep.equal(before)
      const assumed = await importing(...argv, '--assume-subscribed')
      expect(assumed.outcome!.consent).to.include({ subscribed: 2, optedOut: 0, unknown: 0 })
      expect(await stored(id)).to.include({ subscribed: 2 })
      writeFileSync(
        file('partly.csv'),
        `${lines[0]},notification_types\np3,0123456789-default-3,1,1\np4,0123456789-default-4,1,\n`,
      )
      const partly = await importing('onesignal', id, file('partly.csv'), '--errors', file('partly-refused.csv'))
      expect(partly.code).to.equal(65)
      expect(partly.outcome).to.deep.include({ installs: 1, refused: 1 })
      expect(partly.outcome!.consent).to.include({ subscribed: 1, unknown: 1 })
      expect(readFileSync(file('partly-refused.csv'), 'utf8')).to.include(
        ',3,"has no notification_types, so nobody knows',
      )
      for (const [source, name, row] of [
        ['airship', 'bare.json', { channel_id: 'c', device_type: 'android', push_address: 'bare-token' }],
        ['pinpoint', 'bare.jsonl', { Id: 'e', ChannelType: 'GCM', Address: 'bare-token-2' }],
      ] as const) {
        writeFileSync(file(name), JSON.stringify(row))
        const bare = await run(['import', source, id, file(name), '--yes'])
        expect(bare.code, source).to.equal(65)
        expect(bare.stderr).to.match(
          /is not in the export, so nobody knows who opted out: export (the endpoints )?again with/,
        )
      }
    },
  )

  inDepth(
    'Pinpoint: packed files of an export job are read side by side, and what is no push endpoint is named',
    async () => {
      const id = String(await app())
      const rows = readFileSync(exported('pinpoint.jsonl'), 'utf8').trimEnd().split('\n')
      writeFileSync(file('part-1.gz'), gzipSync(`${rows.slice(0, 4).join('\n')}\n`))
      writeFileSync(file('part-2.gz'), gzipSync(`${rows.slice(4).join('\n')}\n`))
      const argv = ['pinpoint', id, file('part-1.gz'), file('part-2.gz')]
      const shown = await run(['import', ...argv, '--dry-run'])
      expect(shown.stdout).to.match(
        /left behind +email addresses \(1\), phone numbers \(SMS\) \(1\), Amazon devices \(ADM\) \(1\)/,
      )
      expect(shown.stdout).to.include('file 2, line 5: OptOut is "SOME"')
      const done = await importing(...argv, '--suppress-opted-out')
      expect(done.outcome).to.include({ installs: 5, users: 4, left: 3, refused: 1, suppressed: 1, unreachable: 1 })
      const [first] = await installs('pinpoint')
      expect(first).to.include({ token: 'a1'.repeat(32), token_environment: 'production', country_iso_code: 'DE' })
      const olga = (await run(['users', 'show', 'olga', '--app', id, '--json'])).json<{ attributes: object }>()
      expect(olga.attributes).to.deep.equal({ plan: 'gold', topics: ['news', 'sport'], city: 'Berlin', orders: 7 })
    },
  )

  inDepth('keeps every date and every consent of files that others would read wrongly', async () => {
    const id = String(await app())
    const rows = [
      { who: { id: 'date-a' }, seen: -1_700_000_000, made: { $date: { $numberLong: '-2208988800000' } } },
      {
        who: { id: 'date-b' },
        seen: 1_700_000_000,
        made: 'Sat Nov 28 2026 15:30:57 GMT+0000 (Coordinated Universal Time)',
      },
      { who: { id: 'date-c' }, seen: 'soon', made: null },
      { who: { id: 'date-d' }, seen: null, made: '2025-02-30' },
    ]
    const lines = file('dates.jsonl')
    writeFileSync(lines, rows.map((row) => JSON.stringify(row)).join('\n'))
    const map = ['--map', 'who.id=user', '--map', 'seen=last_active:seconds', '--map', 'made=created_at']
    const ran = await importing('csv', id, lines, ...map)
    expect(ran.code, ran.stderr).to.equal(65)
    expect(ran.outcome).to.include({ users: 2, refused: 2 })
    const users = await db.read('users').where('app_id', id).orderBy('identifier')
    expect(users.map(({ identifier }: { identifier: string }) => identifier)).to.deep.equal(['date-a', 'date-b'])
    const seen = users.map((user: Record<string, unknown>) => Number(user.last_active))
    expect(seen).to.deep.equal([-1_700_000_000_000, 1_700_000_000_000])
    const wrong = await importing('csv', id, lines, ...map, '--map', 'whom=attr:x')
    expect(wrong.code).to.equal(65)
    expect(wrong.stderr).to.include('names whom (did you mean who?), but the columns are who, who.id, seen, made')
  })

  inDepth('links keep their slugs, and one with too much data is refused by its line', async () => {
    const id = String(await app())
    const links = ['branch', id, exported('branch.csv'), '--fallback', 'https://example.com']
    const shown = await run(['import', ...links, '--dry-run', '--json'])
    expect(shown.json()).to.include({ dryRun: true, created: 2, refused: 1 })
    expect((await run(['links', 'list', id, '--json'])).json<{ deepLinks: unknown[] }>().deepLinks).to.deep.equal([])
    environment = { ...environment, APPSVC_LIMITS_LINK_DATA: '1024' }
    const url = 'https://go.example.com/large'
    writeFileSync(file('large.csv'), `url,color\n${url},${'r'.repeat(1100)}\n`)
    const large = await importing('branch', id, file('large.csv'), ...links.slice(3), '--errors', file('links.csv'))
    const same = await run(['links', 'import', id, file('large.csv'), '--from', 'branch', ...links.slice(3)])
    delete environment.APPSVC_LIMITS_LINK_DATA
    expect(large.code).to.equal(65)
    expect(large.outcome).to.deep.include({ created: 0, refused: 1 })
    expect(readFileSync(file('links.csv'), 'utf8')).to.match(/,2,"linkData has \d+ bytes as JSON, 1024 are allowed/)
    expect(same.code).to.equal(65)
    expect(same.stderr).to.match(/line 2: linkData has \d+ bytes/)
    expect((await importing(...links)).outcome).to.deep.include({ created: 2, existing: 0, refused: 1 })
    expect((await importing(...links)).outcome).to.deep.include({ created: 0, existing: 2, refused: 1 })
    expect((await run(['links', 'show', id, 'AbC', '--json'])).json()).to.include({ slug: 'AbC' })
    const firebase = await importing('firebase', id, exported('firebase-links.csv'), '--links')
    expect(firebase.outcome).to.deep.include({ created: 1, refused: 1 })
  })
})

describe('a push to imported installs', () => {
  const { dir, end } = temporaryDirectory()
  let sandbox: Sandbox
  let environment: Record<string, string>
  const run = (...argv: string[]) => runAnywhere(argv, { environment })

  before(async () => {
    sandbox = await startSandbox({ keep: 0 })
    await sandbox.writeFiles(dir)
    environment = {
      ...sandbox.environment,
      APPSVC_DATA_DIR: join(dir, 'data'),
      APPSVC_GATEWAYS_CA_FILE: join(dir, 'ca.pem'),
      APPSVC_OUTBOUND_ALLOW_PRIVATE: 'true',
    }
  })
  after(async () => {
    await sandbox.close()
    end()
  })

  it('reaches phones with the same credentials, and browsers with the VAPID keys of the former service', async () => {
    await run('apps', 'create', 'Shop')
    await run(
      'gateways',
      'set',
      '1',
      'ios',
      '--p12',
      join(dir, 'push.p12'),
      '--password-file',
      join(dir, 'push.p12.password'),
      '--mode',
      'production',
    )
    await run('gateways', 'set', '1', 'android', '--service-account', join(dir, 'service-account.json'))
    // Its own pair, with which the browsers have not subscribed.
    await run('gateways', 'set', '1', 'web')
    const key = makeVapidKey(0)
    writeFileSync(join(dir, 'vapid.json'), JSON.stringify({ publicKey: key.publicKey, privateKey: key.privateKey }))
    const { endpoint, keys } = sandbox.subscribe({ publicKey: key.publicKey })
    const rows = [
      { id: 'phone', notification_types: 1, device_type: 0, identifier: 'ab'.repeat(32), external_user_id: 'anna' },
      {
        id: 'robot',
        notification_types: 1,
        device_type: 1,
        identifier: 'imported-fcm-token',
        external_user_id: 'anna',
      },
      {
        id: 'browser',
        notification_types: 1,
        device_type: 5,
        identifier: endpoint,
        web_auth: keys.auth,
        web_p256: keys.p256dh,
      },
    ]
    writeFileSync(join(dir, 'players.json'), JSON.stringify({ players: rows }))
    const push = async (name: string) => {
      const sent = await run('push', 'test', '--install', `onesignal-${name}`, '--json')
      return sent.stdout === '' ? sent.stderr : sent.json<{ outcome: { kind: string } }>().outcome.kind
    }
    const done = await run('import', 'onesignal', '1', join(dir, 'players.json'), '--yes', '--json')
    expect(done.json(), done.stderr).to.include({ installs: 3, refused: 0 })
    expect([await push('phone'), await push('robot')]).to.deep.equal(['accepted', 'accepted'])
    expect(await push('browser')).to.not.equal('accepted')

    const again = await run(
      'import',
      'onesignal',
      '1',
      join(dir, 'players.json'),
      '--yes',
      '--json',
      '--vapid-file',
      join(dir, 'vapid.json'),
    )
    expect(again.json(), again.stderr).to.include({ installs: 0, existing: 3 })
    expect(await push('browser')).to.equal('accepted')
  })
})
