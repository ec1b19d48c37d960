import { resolve } from 'node:path'
import type { App } from '../../app.ts'
import { faultsOf } from '../../doctor/state/faults.ts'
import { holdOf } from '../../doctor/state/hold.ts'
import { logReadersOf } from '../../doctor/state/log-readers.ts'
import { nodesOf } from '../../doctor/state/nodes.ts'
import { isServed } from '../../doctor/state/served.ts'
import { type LastBackup, readLastBackup } from '../../domain/backups/last-backup.ts'
import { reportCertificates } from '../../domain/certificates/report.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import { disagreements } from '../../platform/instance/nodes.ts'

/** Unfinished imports that are named. */
const MAX_IMPORTS = 20
/** Open notifications are counted up to this number. */
export const MAX_COUNTED = 10_000

export type Status = Awaited<ReturnType<typeof lookAt>>

/** The state of the server and of its database, as both forms of the answer show it. */
export async function lookAt(app: App) {
  const { certificates, kernel } = app
  const { db, config, clock } = kernel
  const now = clock.now()
  const none: LastBackup = {}
  const nodes = (await nodesOf(app)).nodes.filter(({ state }) => state === 'alive')
  // On PostgreSQL the nodes tell, which may run on any machine.
  const served = (await isServed(app)) ?? nodes.length > 0
  return {
    now,
    nodes,
    served,
    disagreements: disagreements(nodes),
    database: db.kind,
    dataDir: resolve(config.dataDir),
    faults: await faultsOf(app, served),
    hold: await holdOf(app),
    disk: kernel.disk.look(),
    apps: (await app.apps.list()).length,
    lanes: await configuredLanes(app, now),
    unfinished: (await app.ledger.unfinished(0, MAX_COUNTED + 1)).length,
    imports: await app.imports.unfinished(MAX_IMPORTS),
    inApp: (await app.inAppWalks.due(now, MAX_COUNTED + 1)).length,
    waiting: await waitingOf(app, now),
    certificates: await reportCertificates({ certificates, config }, now),
    ...(await logReadersOf(app, now)),
    backupTo: config['backup.to'] || null,
    backup: db.kind === 'sqlite' ? readLastBackup(config.dataDir) : none,
  }
}

/** Waiting recipients by lane and cause. */
async function waitingOf(app: App, now: number) {
  const lanes = new Map((await app.gateways.lanes.list()).map((lane) => [lane.id, lane]))
  return (await app.vitals.waiting(now)).flatMap(({ laneId, ...one }) => {
    const lane = lanes.get(laneId)
    return lane && one.recipients > 0 ? [{ appId: lane.appId, platform: lane.platform, ...one }] : []
  })
}

/** The lanes that have a gateway: a lane stays after its gateway is removed. */
async function configuredLanes(app: App, now: number) {
  const lanes = await app.gateways.lanes.list()
  const apps = [...new Set(lanes.map(({ appId }) => appId))]
  const platforms = new Map(await Promise.all(apps.map(async (id) => [id, await app.gateways.platforms(id)] as const)))
  const placeOf = ({ appId, platform }: Pick<Lane, 'appId' | 'platform'>) => `${appId} ${platform}`
  const expiries = new Map((await app.gateways.expiries()).map((one) => [placeOf(one), one.notAfter]))
  return lanes
    .filter(({ appId, platform }) => platforms.get(appId)!.includes(platform))
    .map((lane) => ({ ...lane, isHeld: lane.heldUntil > now, validUntil: expiries.get(placeOf(lane)) }))
}
