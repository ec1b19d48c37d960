import { MOST_DAYS } from '../domain/statistics/service.ts'
import type { Program } from '../program.ts'
import { backupsCheck } from './checks/backups.ts'
import { certificatesCheck } from './checks/certificates.ts'
import { diskCheck } from './checks/disk.ts'
import { importsCheck } from './checks/imports.ts'
import { loadCheck } from './checks/load.ts'
import {
  credentialsCheck,
  lanesCheck,
  oldestDueCheck,
  readersCheck,
  serverCheck,
  webhooksCheck,
} from './checks/sending.ts'
import { seriesCheck } from './checks/series.ts'
import type { Subject } from './checks/types.ts'
import { type CheckFinding, examine } from './examine.ts'

/** A step on the way to the first opened push, in the order in which they are taken. */
interface ToDo {
  step: 'gateway' | 'install' | 'push' | 'open'
  done: boolean
  /** The thing to do, or the one that was done. */
  sentence: string
}

/** A thing that is wrong or soon will be. */
interface Alarm {
  level: 'warning' | 'error'
  /** The check of `appsvc doctor` that found it. */
  check: string
  sentence: string
  /** A command or a setting to copy. */
  remedy: string
}

/** The list of what an app still needs, and what is wrong with it or the server. */
export interface ToDoList {
  steps: ToDo[]
  /** Errors first. */
  alarms: Alarm[]
  /** The time (ms) at which this was found out. */
  asOf: number
}

/** Checks that read a few rows and connect to nobody. */
const CHECKS = [
  serverCheck,
  diskCheck,
  loadCheck,
  backupsCheck,
  certificatesCheck,
  lanesCheck,
  oldestDueCheck,
  credentialsCheck,
  readersCheck,
  webhooksCheck,
  seriesCheck,
  importsCheck,
]
const KEPT_MS = 5000
const MOST_APPS = 1000

/**
 * Answers what an app still needs, in the process that serves. An answer is kept for five seconds, and calls for the same
 * app at the same time share one.
 */
export function createToDo(program: Program): (appId: number) => Promise<ToDoList> {
  const { clock } = program.kernel
  const kept = new Map<number, { until: number; list: Promise<ToDoList> }>()
  return (appId) => {
    const known = kept.get(appId)
    if (known && known.until > clock.monotonic()) return known.list
    kept.delete(appId)
    if (kept.size >= MOST_APPS) kept.delete(kept.keys().next().value!)
    const list = findOut(program, appId)
    kept.set(appId, { until: clock.monotonic() + KEPT_MS, list })
    // A failure is not kept.
    list.catch(() => kept.get(appId)?.list === list && kept.delete(appId))
    return list
  }
}

/** Findings, in the process that serves, of those checks of the doctor that read little; all apps without `appId`. */
export async function quickFindings(program: Program, appId?: number): Promise<CheckFinding[]> {
  const { config, clock, db } = program.kernel
  // A database with another schema would not be served, and none of these checks asks for it.
  const schema = { applied: [], pending: [], unknown: [], breaking: [] }
  const storage: Subject['storage'] = { state: 'open', db, schema, key: 'right', program }
  const subject: Subject = { config, clock, storage, inside: 'server', served: true, appId }
  return (await examine(subject, CHECKS, { offline: true })).findings
}

async function findOut(program: Program, appId: number): Promise<ToDoList> {
  const { clock } = program.kernel
  const findings = await quickFindings(program, appId)
  const alarms = findings.flatMap(({ level, check, what, remedy }): Alarm[] =>
    level === 'warning' || level === 'error'
      ? [{ level, check, sentence: what, remedy: remedy ?? 'appsvc doctor' }]
      : [],
  )
  alarms.sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error'))
  return { steps: await stepsOf(program, appId), alarms, asOf: clock.now() }
}

async function stepsOf(program: Program, appId: number): Promise<ToDo[]> {
  const gateways = await program.gateways.list(appId)
  const able = gateways.filter(({ sendable }) => sendable).map(({ platform }) => platform)
  const installs = await program.statistics.installs(appId)
  const { total } = await program.statistics.pushDays(appId, { days: MOST_DAYS })
  // What is older than the statistics.
  const { ended } = await program.underWay(appId)
  const wasSent = total.accepted > 0 || ended.some(({ counts }) => counts.accepted > 0)
  const wasOpened = total.opened > 0 || ended.some(({ notification }) => notification.opened > 0)
  return [
    {
      step: 'gateway',
      done: able.length > 0,
      sentence:
        able.length > 0 ? `pushes can be sent through ${able.join(', ')}` : 'give the app the keys of a push gateway',
    },
    {
      step: 'install',
      done: installs.total > 0,
      sentence:
        installs.total > 0
          ? `${installs.total} installs have reported, and ${installs.reachable} can be reached`
          : 'start the app with the SDK and the keys of this app on a device',
    },
    {
      step: 'push',
      done: wasSent,
      sentence: wasSent ? 'a push was accepted by a gateway' : 'send the first push, to yourself',
    },
    {
      step: 'open',
      done: wasOpened,
      sentence: wasOpened ? 'a push was opened' : 'open a push on a device: the app reports it',
    },
  ]
}
