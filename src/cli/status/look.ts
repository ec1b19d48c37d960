import { resolve } from 'node:path'
import { faultsOf } from '../../doctor/state/faults.ts'
import { holdOf } from '../../doctor/state/hold.ts'
import { logReadersOf } from '../../doctor/state/log-readers.ts'
import { nodesOf } from '../../doctor/state/nodes.ts'
import { isServed } from '../../doctor/state/served.ts'
import { type LastBackup, readLastBackup } from '../../domain/backups/last-backup.ts'
import { reportCertificates } from '../../domain/certificates/report.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import { disagreements } from '../../platform/instance/nodes.ts'
import type { Program } from '../../program.ts'

/** Unfinished imports that are named. */
const MAX_IMPORTS = 20
/** Open notifications are counted up to this number. */
export const MAX_COUNTED = 10_000

export type Status = Awaited<ReturnType<typeof lookAt>>

/** The state of the server and of its database, as both forms of the answer show it. */
export async function lookAt(program: Program) {
  const { certificates, kernel } = program
  const { db, config, clock } = kernel
  const now = clock.now()
  const none: LastBackup = {}
  const nodes = (await nodesOf(program)).nodes.filter(({ state }) => state === 'alive')
  // On PostgreSQL the nodes tell, which may run on any machine.
  const served = (await isServed(program)) ?? nodes.length > 0
  return {
    now,
    nodes,
    served,
    disagreements: disagreements(nodes),
    database: db.kind,
    dataDir: resolve(config.dataDir),
    faults: await faultsOf(program, served),
    hold: await holdOf(program),
    disk: kernel.disk.look(),
    apps: (await program.apps.list()).length,
    lanes: await configuredLanes(program, now),
    unfinished: (await program.ledger.unfinished(0, MAX_COUNTED + 1)).length,
    imports: await program.imports.unfinished(MAX_IMPORTS),
    inApp: (await program.inAppWalks.due(now, MAX_COUNTED + 1)).length,
    waiting: await waitingOf(program, now),
    certificates: await reportCertificates({ certificates, config }, now),
    ...(await logReadersOf(program, now)),
    backupTo: config['backup.to'] || null,
    backup: db.kind === 'sqlite' ? readLastBackup(config.dataDir) : none,
  }
}

/** Waiting recipients by lane and cause. */
async function waitingOf(program: Program, now: number) {
  const lanes = new Map((await program.gateways.lanes.list()).map((lane) => [lane.id, lane]))
  return (await program.vitals.waiting(now)).flatMap(({ laneId, ...one }) => {
    const lane = lanes.get(laneId)
    return lane && one.recipients > 0 ? [{ appId: lane.appId, platform: lane.platform, ...one }] : []
  })
}

/** The lanes that have a gateway: a lane stays after its gateway is removed. */
async function configuredLanes(program: Program, now: number) {
  const lanes = await program.gateways.lanes.list()
  const apps = [...new Set(lanes.map(({ appId }) => appId))]
  const platforms = new Map(
    await Promise.all(apps.map(async (id) => [id, await program.gateways.platforms(id)] as const)),
  )
  const placeOf = ({ appId, platform }: Pick<Lane, 'appId' | 'platform'>) => `${appId} ${platform}`
  const expiries = new Map((await program.gateways.expiries()).map((one) => [placeOf(one), one.notAfter]))
  return lanes
    .filter(({ appId, platform }) => platforms.get(appId)!.includes(platform))
    .map((lane) => ({ ...lane, isHeld: lane.heldUntil > now, validUntil: expiries.get(placeOf(lane)) }))
}
