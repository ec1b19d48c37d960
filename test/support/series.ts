import { fromInAppForm, inAppForm } from '../../src/domain/in-app/request/request.ts'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { planDue } from '../../src/domain/series/plan-due.ts'
import { sendMessage, sendPush } from '../../src/domain/series/send.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import type { Program } from '../../src/program.ts'
import { inAppBody } from './in-app.ts'
import type { TestProgram } from './program.ts'

type Place = Pick<TestProgram, 'program' | 'first'>

/** A schedule that repeats daily at 9:00 in Berlin; `extra` replaces its fields. */
export const daily = (extra: object = {}) => ({
  strategy: 'recurring',
  cron: '0 9 * * *',
  timezone: 'Europe/Berlin',
  ...extra,
})

/** A push that repeats; `extra` replaces top-level fields. */
export const pushBody = (extra: object = {}) => ({
  target: { broadcast: true },
  content: { title: 'T', message: 'M' },
  schedule: daily(),
  ...extra,
})

/** Sends a push as the messages host does. */
export function repeatPush({ program, first }: Place, extra: object = {}) {
  const body = parseJson(messagesForm, pushBody(extra))
  const request = fromMessagesForm(body)
  return program.inTransaction((tx) => sendPush(tx, first.id, { source: SOURCE.messages, body, request }))
}

/** The series of a push that repeats. */
export async function pushSeries(place: Place, extra: object = {}): Promise<number> {
  return (await repeatPush(place, extra)).series!.series.id
}

/** The series of an in-app message that repeats. */
export async function messageSeries({ program, first }: Place, extra: object = {}): Promise<number> {
  const body = parseJson(inAppForm, inAppBody({ schedule: daily(), ...extra }))
  const request = fromInAppForm(body)
  const made = await program.inTransaction((tx) =>
    sendMessage(tx, first.id, { source: SOURCE.messages, body, request }),
  )
  return made.series!.series.id
}

/** Plans every series that is due; throws what one of them fails with. */
export async function planAll(
  test: Pick<TestProgram, 'program' | 'clock'>,
  program: Program = test.program,
): Promise<void> {
  const parts = { read: program, inTransaction: program.inTransaction, clock: test.clock }
  const failures: unknown[] = []
  const failed = (_: unknown, error: unknown) => void failures.push(error)
  while (failures.length === 0 && (await planDue(parts, { resting: new Set(), failed })) > 0);
  if (failures.length > 0) throw failures[0]
}
