import { eventJson } from '../../domain/followers/event-json.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { createSender } from '../../domain/webhooks/send/sender.ts'
import { sendOutbound } from '../../platform/net/outbound.ts'
import type { Areas } from '../../program.ts'
import { complain, type JobContext } from './job.ts'

/** Interval of looking without being woken: a retry is due, or another node has stored events. */
const LOOK_MS = 500
/** Events that are committed shortly after each other are looked at together. */
const GATHER_MS = 50
/** A failure of ours concerns all endpoints. */
const FAILED_MS = 1000

/** Sends events to the endpoints of webhooks until the signal aborts. */
export async function sendWebhooks({ program, owner, signal, tick }: JobContext): Promise<void> {
  const { clock, log, config, changes, db, disk } = program.kernel
  const { ca, allowPrivate } = gatewaySettings(config)
  const sender = createSender<Areas>({
    read: program,
    inTransaction: (work) => program.inTransaction(work),
    send: sendOutbound,
    present: eventJson,
    clock,
    log,
    random: Math.random,
    owner,
    allowPrivate,
    ca,
  })
  const complainOf = (error: unknown) => complain(log, error, {}, 'sending to webhooks failed; trying again')
  let isClean = db.kind === 'postgres'

  while (!signal.aborted) {
    tick()
    const seen = changes.count('events')
    try {
      if (!db.soundness.damaged && !disk.isLow() && (await program.instance.hold()) === undefined) {
        // The directory of SQLite belongs to one process: whoever held a cursor is gone.
        if (!isClean) await program.inTransaction((tx) => tx.webhookDeliveries.freeAll())
        isClean = true
        await sender.look(signal, complainOf)
      }
    } catch (error) {
      complainOf(error)
      await clock.sleep(FAILED_MS, signal)
    }
    await changes.next('events', seen, LOOK_MS)
    await clock.sleep(GATHER_MS, signal)
  }
  await sender.settled()
}
