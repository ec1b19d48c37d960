import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { judgeBackups } from '../../src/doctor/checks/backups.ts'
import { judgeCertificate } from '../../src/doctor/checks/certificates.ts'
import { judgeReach } from '../../src/doctor/checks/connections.ts'
import { judgeLog, judgePostgres } from '../../src/doctor/checks/database.ts'
import { judgeFlush } from '../../src/doctor/checks/disk.ts'
import { judgeFiles, judgeMemory } from '../../src/doctor/checks/limits.ts'
import { judgeLoad } from '../../src/doctor/checks/load.ts'
import { judgeMembers } from '../../src/doctor/checks/nodes.ts'
import { judgePooler } from '../../src/doctor/checks/pooler.ts'
import { judgeReplica } from '../../src/doctor/checks/replica.ts'
import { settingsCheck } from '../../src/doctor/checks/settings.ts'
import { judgeClock, judgeZones } from '../../src/doctor/checks/time.ts'
import { type Finding, type Level } from '../../src/doctor/checks/types.ts'
import { examine } from '../../src/doctor/examine.ts'
import type { CertificateReport } from '../../src/domain/certificates/report.ts'
import type { PostgresState } from '../../src/platform/db/inspect.ts'
import type { Node } from '../../src/platform/instance/nodes.repository.ts'
import { judgeNodes } from '../../src/platform/instance/nodes.ts'
import { systemClock } from '../../src/platform/time/clock.ts'

const MEBIBYTE = 2 ** 20

/** A row: the check, its finding, how bad it is, and words of the sentence. */
type Row = [who: string, found: () => Finding, level: Level, words: string]

const failed = (code: string) => Object.assign(new Error(code), { code })
const gateway = new URL('https://push.example')

const folder = '/d/timezones'
const zones = (release: string | null) => {
  const broken = { state: 'unusable', why: 'it is cut off' } as const
  return { folder, isNamed: false, file: release === null ? broken : ({ state: 'usable', release } as const) }
}
const missing = { folder, isNamed: true, file: { state: 'absent' } } as const

/** The load of the last `minutes`, and the free space (GB) of six days ago and now. */
function load(minutes: number, more: { errors?: number; busy?: number; free?: readonly [number, number] } = {}) {
  const { errors = 0, busy = 0.1, free = [50, 50] } = more
  const now = 40 * 86_400_000
  const at = (ago: number, gigabytes: number) => ({
    at: now - ago,
    serverCalls: 10,
    deviceCalls: 90,
    errors,
    accepted: 0,
    failed: 0,
    cpuMs: 1000 * busy,
    cpuRoomMs: 1000,
    queueMs: 0,
    memoryBytes: 1,
    databaseBytes: 1,
    diskFreeBytes: gigabytes * 1e9,
  })
  const lately = Array.from({ length: minutes }, (_, i) => at((minutes - i) * 60_000, free[1]))
  const spans = [at(6 * 86_400_000, free[0]), at(60_000, free[1])]
  return judgeLoad({ minutes: lately, spans, mark: 1e9 }, now)[0]!
}

const ROWS: Row[] = [
  ['a load within bounds', () => load(15), 'ok', 'within their bounds'],
  ['a few errors', () => load(2, { errors: 4 }), 'ok', 'within'],
  ['many errors', () => load(10, { errors: 4 }), 'warning', '40 requests of the last quarter of an hour'],
  ['a busy minute', () => load(1, { busy: 1 }), 'ok', 'within'],
  ['a busy quarter of an hour', () => load(15, { busy: 0.95 }), 'warning', '95 % of the processors'],
  ['a disk that grows full', () => load(5, { free: [20, 5] }), 'warning', 'in 2 days nothing new'],
  ['a disk that grows slowly', () => load(5, { free: [60, 55] }), 'ok', 'within'],
  ['a disk that gets more room', () => load(5, { free: [5, 20] }), 'ok', 'within'],

  ['a fast disk', () => judgeFlush(0.42), 'ok', 'takes 0.4 ms'],
  ['a slow disk', () => judgeFlush(125), 'warning', 'at most 8 a second'],
  ['memory', () => judgeMemory({ limit: 2048 * MEBIBYTE, free: 900 * MEBIBYTE }), 'ok', '900 MiB of 2 GiB'],
  ['a small machine', () => judgeMemory({ limit: 128 * MEBIBYTE, free: 100 * MEBIBYTE }), 'warning', 'little'],
  ['a full machine', () => judgeMemory({ limit: 2048 * MEBIBYTE, free: 20 * MEBIBYTE }), 'warning', '20 MiB of 2 GiB'],
  ['a clock that is right', () => judgeClock([300, -200, 100], 0), 'ok', '3 gateways'],
  ['a clock that drifts', () => judgeClock([9_000, 8_000, 8_500], 0), 'warning', '9 s ahead of'],
  ['a clock that is wrong', () => judgeClock([-200_000, -190_000], 0), 'error', '190 s behind'],
  ['one server that is wrong', () => judgeClock([10, 7_200_000, 20], 0), 'ok', '3 gateways'],
  ['a clock that is moved', () => judgeClock([0], 3_600_000), 'error', 'moved by 3600 s'],
  ['no server that tells the time', () => judgeClock([], 0), 'info', 'not compared'],
  ['new zone rules', () => judgeZones('2026c', '2026a', 2026), 'ok', '2026c'],
  ['zone rules older than the system', () => judgeZones('2026a', '2026b', 2026), 'warning', 'has 2026b'],
  ['old zone rules', () => judgeZones('2024a', undefined, 2026), 'warning', 'an hour off'],
  ['zone rules from a file', () => judgeZones('2026f', '2026f', 2026, zones('2026f')), 'ok', 'from /d/timezones'],
  ['zone rules not yet used', () => judgeZones('2026c', '2026b', 2026, zones('2026f')), 'warning', 'has 2026f'],
  ['zone rules left behind', () => judgeZones('2027a', '2026b', 2027, zones('2026f')), 'warning', 'not used'],
  ['broken zone rules', () => judgeZones('2026c', '2026b', 2026, zones(null)), 'error', 'it is cut off'],
  ['named rules that are missing', () => judgeZones('2026c', '2026c', 2026, missing), 'error', 'has no zoneinfo64.res'],
  ['unknown zone rules', () => judgeZones('unknown', '2026b', 2026), 'warning', 'unknown'],
  ['a short log', () => judgeLog(3 * MEBIBYTE, []), 'ok', '3 MiB'],
  ['a long log', () => judgeLog(900 * MEBIBYTE, []), 'warning', 'a long read'],
  ['a long log with readers', () => judgeLog(900 * MEBIBYTE, [77]), 'warning', 'process 77'],
  ['no pooler', () => judgePooler('none', 'none'), 'ok', 'no pooler'],
  ['a pooler for sessions', () => judgePooler('session', 'none'), 'ok', 'in session mode'],
  ['a pooler for transactions', () => judgePooler('transaction', 'transaction'), 'ok', 'in transaction mode'],
  ['a pooler that is not expected', () => judgePooler('transaction', 'none'), 'error', 'do not last'],
  ['a pooler for statements', () => judgePooler('statement', 'transaction'), 'error', 'no transactions'],
  ['a pooler that is gone', () => judgePooler('none', 'transaction'), 'info', 'cost less'],
  ['a standby', () => judgeReplica('current'), 'ok', 'all that is stored'],
  ['a standby that is behind', () => judgeReplica('behind'), 'info', 'wait for it'],
  ['a standby that is none', () => judgeReplica('primary'), 'warning', 'no standby'],
  ['a standby of somebody else', () => judgeReplica('foreign'), 'warning', 'another primary'],
  ['a gateway', () => judgeReach(gateway, undefined), 'ok', 'push.example can be reached'],
  ['a gateway without a name', () => judgeReach(gateway, failed('ENOTFOUND')), 'error', 'ENOTFOUND'],
  ['a gateway behind a firewall', () => judgeReach(gateway, failed('ECONNREFUSED')), 'error', 'cannot be reached'],
  ['a gateway behind a reader', () => judgeReach(gateway, failed('SELF_SIGNED_CERT_IN_CHAIN')), 'error', 'SELF_SIGNED'],
]

const DAY_MS = 86_400_000
/** The time of the rows below (ms). */
const NOW = 1000 * DAY_MS
const good = (days: number) => ({ at: NOW - days * DAY_MS, address: '/backup/x.sqlite', bytes: 1, seconds: 1 })
const failure = { at: NOW - 60_000, error: 'no room' }
const BY_SERVER = { to: '/backup', everyMs: DAY_MS }
const BY_HAND = { to: '', everyMs: DAY_MS }

const BACKUPS: [string, () => Finding[], Level, string][] = [
  ['a fresh one', () => judgeBackups({ good: good(0.5) }, BY_SERVER, NOW), 'ok', '12 hours old'],
  ['an old one', () => judgeBackups({ good: good(3) }, BY_SERVER, NOW), 'warning', '3 days old'],
  ['a failure', () => judgeBackups({ good: good(1), failure }, BY_SERVER, NOW), 'warning', '1 minute ago'],
  ['failures for long', () => judgeBackups({ good: good(4), failure }, BY_SERVER, NOW), 'error', 'no room'],
  ['only failures', () => judgeBackups({ failure }, BY_SERVER, NOW), 'error', 'there is none yet'],
  ['none yet', () => judgeBackups({}, BY_SERVER, NOW), 'info', 'a running server makes the first'],
  ['none at all', () => judgeBackups({}, BY_HAND, NOW), 'info', 'set backup.to'],
  ['one by hand', () => judgeBackups({ good: good(3) }, BY_HAND, NOW), 'ok', '3 days old'],
  ['an old one by hand', () => judgeBackups({ good: good(8) }, BY_HAND, NOW), 'warning', '8 days old'],
]

const nodes = (...given: Partial<Node>[]) => {
  const all = given.map((some, i): Node => {
    const facts = { version: '1.0.0', schemaStep: '0040_x', keyPrint: 'aa', roles: ['http' as const], clockAhead: 0 }
    const seen = { startedAt: NOW - DAY_MS, seenAt: NOW - 1000, stoppedAt: null }
    return { id: `${i}`, host: `node-${i}`, pid: 10 + i, ...facts, ...seen, ...some }
  })
  return () => judgeMembers(judgeNodes(all, { now: NOW }), NOW)
}

const hourAgo = { seenAt: NOW - 3_600_000 }
const NODES: [string, () => Finding[], Level, string][] = [
  ['that agree', nodes({}, {}), 'ok', '2 nodes serve and agree'],
  ['of two versions', nodes({}, { version: '2.0.0' }), 'warning', '2.0.0 on node-1'],
  ['of two schemas', nodes({}, { schemaStep: '0041_y' }), 'warning', '0041_y on node-1'],
  ['with two keys', nodes({}, { keyPrint: 'bb' }), 'error', 'different master keys'],
  ['with a wrong clock', nodes({}, { clockAhead: 9000 }), 'warning', 'node-1 (process 11) is 9 s ahead'],
  ['of which one is gone', nodes({}, hourAgo), 'warning', 'node-1 (process 11) did not stop'],
  ['of which none is left', nodes(hourAgo), 'info', 'node-0 (process 10) ended'],
]

const certificate = (days: number | null, some: Partial<CertificateReport> = {}) => {
  const left = { notBefore: NOW - DAY_MS, notAfter: days === null ? null : NOW + days * DAY_MS, nextAt: NOW }
  const rest = { names: ['a.example'], from: 'authority', state: 'valid', issuer: 'x', lastError: null } as const
  return () => [judgeCertificate({ ...rest, ...left, attempts: 0, failedAt: null, ...some }, NOW)]
}

const failing = { state: 'failing', attempts: 3, lastError: 'port 80 is closed' } as const
const CERTIFICATES: [string, () => Finding[], Level, string][] = [
  ['that is renewed by itself', certificate(20), 'ok', 'ends in 20 days'],
  ['of a file that ends', certificate(20, { from: 'file' }), 'warning', 'ends in 20 days'],
  ['that is over', certificate(-1, { state: 'expired' }), 'error', 'has expired'],
  ['whose renewal fails', certificate(20, failing), 'warning', '3 attempts to get a new one failed: port 80'],
  ['whose renewal fails near its end', certificate(5, failing), 'error', 'ends in 5 days'],
  ['that was never issued', certificate(null, failing), 'error', 'has never been issued'],
  ['that is being ordered', certificate(null, { state: 'waiting' }), 'info', 'is being ordered'],
  [
    'of a file that cannot be read',
    certificate(null, { from: 'file', state: 'failing', lastError: 'tls.certFile cannot be read: ENOENT' }),
    'error',
    'ENOENT',
  ],
]

const HEALTHY: PostgresState = {
  versionNumber: 150_004,
  version: '15.4',
  settings: { fsync: 'on', full_page_writes: 'on', autovacuum: 'on', server_encoding: 'UTF8' },
  isStandby: false,
  connections: { used: 12, most: 97 },
  invalidIndexes: [],
  bytes: 5 * MEBIBYTE,
}

const POSTGRES: [string, Partial<PostgresState>, Level, string][] = [
  ['that is well', {}, 'ok', 'PostgreSQL 15.4 answers and keeps what is committed; 5 MiB, 12 of 97 connections'],
  ['that is old', { versionNumber: 130_010, version: '13.10' }, 'error', '13.10 is too old'],
  ['that is a standby', { isStandby: true }, 'error', 'standby'],
  ['without fsync', { settings: { ...HEALTHY.settings, fsync: 'off' } }, 'error', 'fsync is off'],
  ['without whole pages', { settings: { ...HEALTHY.settings, full_page_writes: 'off' } }, 'error', 'full_page_writes'],
  ['without autovacuum', { settings: { ...HEALTHY.settings, autovacuum: 'off' } }, 'warning', 'autovacuum is off'],
  ['in Latin 1', { settings: { ...HEALTHY.settings, server_encoding: 'LATIN1' } }, 'error', 'LATIN1'],
  ['without connections', { connections: { used: 95, most: 97 } }, 'warning', 'only 2 of 97'],
  ['with half an index', { invalidIndexes: ['installs_x'] }, 'warning', 'installs_x is invalid'],
]

const SETTINGS: [string, Record<string, string>, Level, string][] = [
  ['the defaults', {}, 'ok', 'agree'],
  ['a missing file of authorities', { 'gateways.caFile': '/nowhere/ca.pem' }, 'error', 'gateways.caFile'],
  ['a missing file for NATS', { 'nats.credentials': '/nowhere/x', 'nats.url': 'nats://a' }, 'error', '/nowhere/x'],
  ['a file for NATS without NATS', { 'nats.credentials': import.meta.filename }, 'warning', 'nats.url'],
  ['plain http', { baseUrl: 'http://push.example', trustedProxies: '10.0.0.1' }, 'warning', 'plain http'],
  ['no name for the world', { host: '0.0.0.0' }, 'warning', 'baseUrl is empty'],
  [
    'one name for two areas',
    { 'hosts.crm': 'a.example', 'hosts.data': 'A.example' },
    'error',
    'hosts.crm and hosts.data',
  ],
  ['every address as a proxy', { trustedProxies: '127.0.0.1, 0.0.0.0/0' }, 'warning', 'trusts every address'],
  ['a network of proxies', { baseUrl: 'https://push.example', trustedProxies: '10.0.0.0/8' }, 'ok', 'agree'],
  ['a proxy that is not trusted', { baseUrl: 'https://push.example' }, 'warning', 'count as one address'],
  [
    'TLS of its own and no proxy',
    { baseUrl: 'https://push.example.org', 'acme.enabled': 'true', 'acme.agree': 'true' },
    'ok',
    'agree',
  ],
  ['a trusted proxy', { baseUrl: 'https://push.example', trustedProxies: '127.0.0.1,::1' }, 'ok', 'agree'],
  ['a vendor replaced', { 'gateways.fcmUrl': 'http://127.0.0.1:9' }, 'warning', 'gateways.fcmUrl'],
  [
    'a sandbox',
    { 'gateways.fcmUrl': 'http://127.0.0.1:9', 'gateways.apnsUrl': 'https://[::1]:9', 'sandbox.url': 'http://[::1]:8' },
    'info',
    'the sandbox at http://[::1]:8',
  ],
  [
    'a sandbox where the public comes',
    {
      baseUrl: 'https://push.example',
      trustedProxies: '127.0.0.1',
      'gateways.fcmUrl': 'http://127.0.0.1:9',
      'sandbox.url': 'http://127.0.0.1:8',
    },
    'warning',
    'no real device',
  ],
  [
    'a sandbox and an address elsewhere',
    { 'gateways.fcmUrl': 'http://fcm.example', 'sandbox.url': 'http://127.0.0.1:8' },
    'warning',
    'gateways.fcmUrl',
  ],
  ['private addresses', { 'outbound.allowPrivate': 'true' }, 'warning', 'outbound.allowPrivate'],
  ['any push service', { 'webPush.anyHost': 'true' }, 'warning', 'webPush.anyHost'],
  ['UnifiedPush', { 'webPush.unifiedPush': 'true' }, 'info', 'UnifiedPush server'],
  ['no log', { 'log.level': 'silent' }, 'warning', 'log.level'],
  ['metrics for everybody', { 'metrics.workerListen': '0.0.0.0:9465' }, 'info', 'whoever reaches that port'],
]

describe('what a check says', () => {
  const look = (finding: Finding, level: Level, words: string) => {
    expect([finding.level, finding.what]).to.deep.equal([level, finding.what])
    expect(finding.what).to.include(words)
    // Nobody is left alone with a problem.
    expect(finding.remedy !== undefined).to.equal(level === 'warning' || level === 'error')
  }

  for (const [who, found, level, words] of ROWS) {
    it(`about ${who} is ${level}`, () => look(found(), level, words))
  }

  for (const [what, state, level, words] of POSTGRES) {
    it(`about a PostgreSQL ${what} is ${level}`, () => {
      const findings = judgePostgres({ ...HEALTHY, ...state })
      expect(findings).to.have.length(1)
      look(findings[0]!, level, words)
    })
  }

  for (const [about, rows] of Object.entries({ backups: BACKUPS, nodes: NODES, 'a certificate': CERTIFICATES })) {
    for (const [what, found, level, words] of rows) {
      it(`about ${about}: ${what} is ${level}`, () => {
        const findings = found()
        expect(findings).to.have.length(1)
        look(findings[0]!, level, words)
      })
    }
  }

  for (const [what, flags, level, words] of SETTINGS) {
    it(`about settings with ${what} is ${level}`, async () => {
      const { config } = await loadConfig({ environment: {}, flags })
      const subject = { config, clock: systemClock, storage: { state: 'absent' as const }, inside: 'command' as const }
      const { findings } = await examine({ ...subject, served: undefined }, [settingsCheck])
      // What is only worth knowing makes nothing of the settings invalid.
      const others = findings.filter((finding) => level !== 'info' || finding.level !== 'ok')
      expect(others).to.have.length(1)
      look(others[0]!, level, words)
    })
  }

  const SECRETS: [string, string, number, RegExp | undefined][] = [
    [
      'a password that everybody can read',
      'database.url: postgres://u:canary@h/d',
      0o644,
      /appsvc\.yaml, which holds a password/,
    ],
    ['a password that everybody can replace', 'nats.url: nats://u:canary@h', 0o602, /\(nats\.url\)/],
    ['a password for its owner and group', 'database.url: postgres://u:canary@h/d', 0o640, undefined],
    ['no password', 'database.url: postgres://u@h/d\nport: 81', 0o644, undefined],
  ]
  for (const [what, text, mode, words] of SECRETS) {
    it(`about a settings file with ${what} ${words ? 'warns' : 'says nothing'}`, async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'appsvc-settings-')), 'appsvc.yaml')
      writeFileSync(file, `${text}\n`)
      chmodSync(file, mode)
      const { config } = await loadConfig({ file, environment: {} })
      const subject = { config, clock: systemClock, storage: { state: 'absent' as const }, inside: 'command' as const }
      const { findings } = await examine({ ...subject, served: undefined }, [settingsCheck])
      const said = findings.filter(({ what }) => what.includes('everybody on this machine'))
      expect(said.map(({ level, remedy }) => [level, remedy])).to.deep.equal(
        words ? [['warning', `chmod o= ${file}, and change the secret if others use this machine`]] : [],
      )
      if (words) expect(said[0]!.what).to.match(words).and.not.include('canary')
    })
  }

  it('about open files depends on the connections that are allowed', async () => {
    const { config } = await loadConfig({ environment: {}, flags: { 'http.maxConnections': '1000' } })
    look(judgeFiles({ open: 40, limit: 4096 }, config, true), 'ok', 'the server may open 4096')
    look(judgeFiles({ open: 40, limit: 1024 }, config, false), 'warning', 'too few for 1000')
    look(judgeFiles({ open: 4000, limit: 4096 }, config, true), 'warning', '4000 of 4096')
  })
})
