import { rolesIn } from '../../domain/admins/types.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import type { Person } from '../routing/route.ts'
import { auditOf } from './audited.ts'
import type { CommandDone } from './command-runner.ts'

const HOUR_MS = 3_600_000
/** Rows that a person can make in an hour by looking and by being refused; the next row tells how many were left out. */
const MOST_AN_HOUR = 100
/** The number of remembered people at which those whose hour is over are forgotten. */
const MOST_PEOPLE = 1000

interface Hour {
  since: number
  told: Set<string>
  leftOut: number
}

const hoursOf = onePerProgram(() => new Map<number, Hour>())

/**
 * Writes a command down: each one that changes something or takes personal data out. One that only looks, or was refused, is
 * written once an hour for the same command line, so that asking again and again fills no disk.
 */
export async function noteCommand(
  program: Program,
  { person, remote }: { person: Person; remote: string },
  { action, appId, words, exit, isRefused, isNotedAlways }: CommandDone,
): Promise<void> {
  const hour = hourOf(program, person.id)
  if (!isNotedAlways && !isNew(hour, JSON.stringify([action, appId, exit, words]))) return
  const { leftOut } = hour
  const after = { words, exit, ...(isRefused && { refused: true }), ...(leftOut > 0 && { leftOut }) }
  const details = { target: words.join(' '), after }
  const role = rolesIn(person.roles, appId)[0]
  const entry = auditOf(action, { appId: appId ?? 0, person: { ...person, role }, remote, details })
  const written = program.inTransaction((tx) => tx.audit.record(entry))
  if (isNotedAlways) await written
  else await written.catch((error: unknown) => program.kernel.log.warn({ error: messageOf(error) }, UNWRITTEN))
  hour.leftOut -= leftOut
}

const UNWRITTEN = 'a command that changes nothing could not be noted in the audit log'

function hourOf(program: Program, personId: number): Hour {
  const hours = hoursOf(program)
  const now = program.kernel.clock.monotonic()
  const found = hours.get(personId)
  if (found && now - found.since < HOUR_MS) return found
  if (hours.size >= MOST_PEOPLE) {
    for (const [id, { since, leftOut }] of hours) if (now - since >= HOUR_MS && leftOut === 0) hours.delete(id)
  }
  const hour = { since: now, told: new Set<string>(), leftOut: found?.leftOut ?? 0 }
  hours.set(personId, hour)
  return hour
}

function isNew(hour: Hour, what: string): boolean {
  if (hour.told.has(what)) return false
  if (hour.told.size >= MOST_AN_HOUR) {
    hour.leftOut++
    return false
  }
  hour.told.add(what)
  return true
}
