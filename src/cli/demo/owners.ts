import { crc32 } from 'node:zlib'
import { isAppError, messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'

/** Something that a device will report. */
interface Report {
  /** The time (ms on the monotonic clock) at which it is due. */
  due: number
  appId: number
  installId: string
  notificationId: number
  kind: 'delivered' | 'opened'
}

/** A notification that stand-ins have got. */
interface Arriving {
  /** The installs whose reports are planned. */
  seen: Set<string>
  /** The time (ms on the monotonic clock) of the last push of it. */
  at: number
}

/** The time (ms) between two looks at what arrived and what is due. */
const LOOK_MS = 500
/** The time (ms) after the last push of a notification until its outcomes are recorded. */
const SETTLED_MS = 5000
/** Reports of one transaction: about 10 ms of work. */
const REPORTS = 10
/** In permille of the recipients: phones that report the arrival, people who open. */
const DELIVERED = 920
const OPENED = 240
/** A phone reports within this time (ms); half of those who open do it within the next (ms). */
const ARRIVES_MS = 4000
const HALF_OPEN_MS = 15_000

/**
 * Lets the stand-ins' devices confirm the pushes that they get, and some of their owners open them, so that a report of the demo shows what a
 * report shows. The same people react to the same notification in every run. Returns a function that stops it.
 */
export function startOwners(program: Program, sandbox: Pick<Sandbox, 'on'>): () => Promise<void> {
  const { clock, log } = program.kernel
  const ending = new AbortController()
  const arriving = new Map<number, Arriving>()
  let planned: Report[] = []
  const off = sandbox.on('message', ({ taken, notificationId }) => {
    const id = Number(notificationId)
    if (!taken || !Number.isSafeInteger(id)) return
    const known = arriving.get(id) ?? { seen: new Set(), at: 0 }
    arriving.set(id, { ...known, at: clock.monotonic() })
  })

  async function look(): Promise<void> {
    const now = clock.monotonic()
    for (const [id, { seen, at }] of arriving) {
      planned.push(...(await reactionsTo(program, { id, seen, now })))
      if (arriving.get(id)!.at === at && now - at > SETTLED_MS) arriving.delete(id)
    }
    const due = planned.filter((report) => report.due <= now)
    planned = planned.filter((report) => report.due > now)
    for (let from = 0; from < due.length; from += REPORTS) {
      await program.inTransaction(async (tx) => {
        for (const report of due.slice(from, from + REPORTS)) await tx.events.ingest(...eventOf(report, clock.now()))
      })
    }
  }

  const running = (async () => {
    while (!ending.signal.aborted) {
      await clock.sleep(LOOK_MS, ending.signal).catch(() => {})
      if (ending.signal.aborted) return
      if (arriving.size === 0 && planned.length === 0) continue
      await look().catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, 'the people of the demo cannot react'),
      )
    }
  })()
  return async () => {
    off()
    ending.abort()
    await running
  }
}

/** The reports of the installs that have got a notification since the last look. */
async function reactionsTo(
  program: Program,
  { id, seen, now }: { id: number; seen: Set<string>; now: number },
): Promise<Report[]> {
  const reports: Report[] = []
  for (const app of await program.apps.list()) {
    const recipients = await program.notifications.recipients(app.id, id, 'accepted').catch((error: unknown) => {
      // The notification of another app.
      if (isAppError(error) && error.code === 'not_found') return undefined
      throw error
    })
    if (!recipients) continue
    for await (const { installId, transport } of recipients) {
      if (installId === null || seen.has(installId)) continue
      seen.add(installId)
      reports.push(...reactionOf({ appId: app.id, installId, notificationId: id }, transport, now))
    }
  }
  return reports
}

/** The reports of a device and its owner about a push: decided by a digest of both, not by chance. */
function reactionOf(who: Omit<Report, 'due' | 'kind'>, transport: string | null, now: number): Report[] {
  const draw = (about: string, end: number) => crc32(`${about} ${who.installId} ${who.notificationId}`) % end
  const arrivesAt = now + draw('arrives', ARRIVES_MS)
  // Exponential: a few open much later than most.
  const opensAt = arrivesAt + Math.round(-Math.log2((1 + draw('waits', 1000)) / 1001) * HALF_OPEN_MS)
  const isSilent = transport === 'safari'
  return [
    ...(!isSilent && draw('delivered', 1000) < DELIVERED
      ? [{ ...who, kind: 'delivered' as const, due: arrivesAt }]
      : []),
    ...(draw('opened', 1000) < OPENED ? [{ ...who, kind: 'opened' as const, due: opensAt }] : []),
  ]
}

function eventOf({ appId, installId, notificationId, kind }: Report, now: number) {
  const uuid = `demo-${kind}-${notificationId}-${installId}`
  const event = { type: `k.message.${kind}`, uuid, timestamp: now, data: { type: 1, id: notificationId } }
  return [appId, installId, [event]] as const
}
