import { systemEnvironment } from './config.ts'

/**
 * Places where a test can make this process fail, by name: `APPSVC_FAILPOINTS=deliver.begun:2,accept.committed:1`. At the nth
 * pass of a thread the process kills itself with SIGKILL; `name:nth:throw` ends the thread with an error that nobody catches, and
 * `name:nth:exit` makes it exit. Without the variable a pass costs one comparison.
 */
export const FAILPOINTS = [
  /** A write of the server API is committed, its answer not sent. */
  'accept.committed',
  /** The next step of a run's fan-out is read, nothing of it stored. */
  'dispatch.read',
  /** One step of a run's fan-out is committed. */
  'dispatch.stepped',
  /** The next step of an in-app message's fan-out is read, nothing of it stored. */
  'inapp.read',
  /** One step of an in-app message's fan-out is committed. */
  'inapp.stored',
  /** Some users of a subscriber file are subscribed, its place not moved on. */
  'ingest.subscribed',
  /** A batch of a subscriber file is applied, the place moved on. */
  'ingest.advanced',
  /** A delivery thread looks for pages. */
  'deliver.looked',
  /** A page is claimed, nobody of it begun. */
  'deliver.claimed',
  /** Recipients are begun on disk, nothing of them sent. */
  'deliver.begun',
  /** Answers came in and are not recorded. */
  'deliver.answered',
  /** A page is recorded and closed, or given back; nothing else has happened yet. */
  'deliver.recorded',
] as const
export type Failpoint = (typeof FAILPOINTS)[number]

interface Armed {
  left: number
  how: 'kill' | 'throw' | 'exit'
}

const armed = readFailpoints(systemEnvironment().APPSVC_FAILPOINTS)

/** Fails here when a test asked for it. */
export function failpoint(name: Failpoint): void {
  if (armed !== undefined) pass(armed.get(name))
}

/** `name:nth[:throw|exit]`, comma-separated -> what is armed; undefined for nothing. Throws for a name or a number that is none. */
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
