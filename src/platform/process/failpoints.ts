import { systemEnvironment } from '../config/config.ts'

/**
 * Places where a test can make this process fail, for example `APPSVC_FAILPOINTS=deliver.begun:2,accept.committed:1`.
 * When a thread reaches the place for the nth time, the process kills itself with SIGKILL; with `name:nth:throw` the
 * thread throws an uncaught error, and with `name:nth:exit` it exits. Without the variable a failpoint costs one
 * comparison.
 */
const FAILPOINTS = [
  /** A transaction on SQLite is committed; nobody has waited for the disk or been told. */
  'write.committed',
  /** A write of the server API is committed; its response is not sent. */
  'accept.committed',
  /** The next step of a run's fan-out is read; nothing of it is stored. */
  'dispatch.read',
  /** One step of a run's fan-out is committed. */
  'dispatch.stepped',
  /** The next step of an in-app message's fan-out is read; nothing of it is stored. */
  'inapp.read',
  /** One step of an in-app message's fan-out is committed. */
  'inapp.stored',
  /** Series that are due are read; nothing is planned. */
  'series.read',
  /** The next occurrences of some series are committed. */
  'series.stored',
  /** Some users of a subscriber file are subscribed; the position in the file is not stored. */
  'ingest.subscribed',
  /** A batch of a subscriber file is applied and the new position is stored. */
  'ingest.advanced',
  /** A batch of another service's export is written; the transaction is open. */
  'import.stored',
  /** The batch and the place in the export are committed. */
  'import.advanced',
  /** A delivery thread looks for pages. */
  'deliver.looked',
  /** A page is claimed; none of its recipients is begun. */
  'deliver.claimed',
  /** Recipients are stored as begun; nothing is sent to them. */
  'deliver.begun',
  /** Answers have arrived and are not recorded. */
  'deliver.answered',
  /** A page is recorded and closed, or given back; nothing else has happened yet. */
  'deliver.recorded',
  /** The bounds of a webhook's message are stored; nothing is sent. */
  'webhooks.held',
  /** An endpoint has answered; nothing is stored of it. */
  'webhooks.answered',
  /** The result of a request to an endpoint is stored. */
  'webhooks.recorded',
  /** A worker has the lease of a follower. */
  'follow.claimed',
  /** The next events of a follower are read; nothing is done with them. */
  'follow.read',
  /** The effects of events are written and the cursor is moved; the transaction is open. */
  'follow.applied',
  /** Effects and cursor are committed. */
  'follow.stored',
  /** Events were handed over to somebody outside; the cursor is not moved. */
  'follow.delivered',
  /** A step of closing a partition of events is committed. */
  'events.partition',
  /** A certificate is ordered and the order is stored; nothing is proved yet. */
  'certificates.ordered',
  /** The authority has issued a certificate; it is not stored. */
  'certificates.finalized',
  /** An HTTP thread, other than the main thread, reports what it counted: once a second. */
  'http.reports',
  /** The target of a copy has its schema and its mark, and no rows. */
  'copy.prepared',
  /** A page of a copy is stored in the target, with the progress. */
  'copy.page',
  /** A table is copied whole. */
  'copy.table',
  /** Source and target of a copy are equal; the source is not held. */
  'copy.compared',
  /** The source of a copy is held; the target is still marked as unfinished. */
  'copy.held',
  /** The target of a copy is ready; nothing is printed. */
  'copy.finished',
  /** The next master key is written beside the old one; the database has only values of the old one. */
  'rotate.written',
  /** Some values are sealed under the new key; the transaction is open. */
  'rotate.sealed',
  /** Everything is sealed under the next master key; the key file is still the old one. */
  'rotate.stored',
  /** The old key file is kept under another name; the key file is not replaced. */
  'rotate.kept',
  /** The key file is the new one. */
  'rotate.replaced',
  /** A long read is admitted; nothing of it is read. */
  'reads.admitted',
  /** A migration step is committed; further ones wait. */
  'migrate.stepped',
  /** The snapshot before a migration is complete and has no name yet. */
  'snapshot.copied',
  /** The snapshot before a migration has its name; no step is applied. */
  'snapshot.named',
  /** A backup is copied and not checked. */
  'backup.copied',
  /** A backup is checked and has no name yet. */
  'backup.verified',
  /** A backup has its name; its manifest is missing. */
  'backup.stored',
  /** A restored database is on this machine and not checked. */
  'restore.fetched',
  /** A restored database is checked; nothing else is written. */
  'restore.checked',
  /** Key and files of a restored database are in their places; the database has no name yet. */
  'restore.prepared',
  /** A restored database has its name. */
  'restore.named',
] as const
export type Failpoint = (typeof FAILPOINTS)[number]

interface Armed {
  left: number
  how: 'kill' | 'throw' | 'exit'
}

const armed = readFailpoints(systemEnvironment().APPSVC_FAILPOINTS)

/** Listeners of each place: undefined in a process that no test has armed. */
let hearers: Set<(name: Failpoint) => void> | undefined = armed && new Set([(name) => pass(armed.get(name))])

/** Fails at this place if a test has armed it. */
export function failpoint(name: Failpoint): void {
  if (hearers !== undefined) for (const hear of hearers) hear(name)
}

/**
 * Calls `hear` at every place that this thread passes, until the returned function is called: for tests that end something in
 * their own process. Errors that `hear` throws come out of the place.
 */
export function hearFailpoints(hear: (name: Failpoint) => void): () => void {
  hearers ??= new Set()
  hearers.add(hear)
  return () => void hearers!.delete(hear)
}

/**
 * Reads a comma-separated list of `name:nth[:throw|exit]`; undefined when it is empty. Throws for an unknown name or
 * number.
 */
export function readFailpoints(text: string | undefined): Map<string, Armed> | undefined {
  if (text === undefined || text === '') return undefined
  const points = new Map<string, Armed>()
  for (const part of text.split(',')) {
    const match = /^([\w.]+):([1-9]\d{0,8})(?::(throw|exit))?$/.exec(part.trim())
    if (!match || !(FAILPOINTS as readonly string[]).includes(match[1]!)) {
      throw new Error(`APPSVC_FAILPOINTS: ${JSON.stringify(part)} is not name:nth with one of ${FAILPOINTS.join(', ')}`)
    }
    points.set(match[1]!, { left: Number(match[2]), how: (match[3] as Armed['how'] | undefined) ?? 'kill' })
  }
  return points
}

function pass(point: Armed | undefined): void {
  if (!point || --point.left !== 0) return
  if (point.how === 'kill') process.kill(process.pid, 'SIGKILL')
  // In a worker thread this ends the thread, not the process.
  else if (point.how === 'exit') process.exit(1)
  else
    setImmediate(() => {
      throw new Error('a failpoint was reached')
    })
}
