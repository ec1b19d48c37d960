import { stepMessage } from '../../src/domain/in-app/fan-out/step.ts'
import { fromInAppForm, type InAppRequest, inAppForm } from '../../src/domain/in-app/request/request.ts'
import { SOURCE } from '../../src/domain/in-app/types.ts'
import type { ContentDocument, Tag } from '../../src/domain/templates/types.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import type { Program } from '../../src/program.ts'
import { addInstall, type InstallKind } from './installs.ts'
import type { TestProgram } from './program.ts'

/** A user of a test besides the install. */
export interface UserKind extends InstallKind {
  /** True when the user agreed to in-app messages. Default true. */
  enabled?: boolean
  timezone?: string
  /** -1: not known. */
  hour?: number
}

/** The place of new users: a test's app, or one of the command line. */
interface Place {
  program: Program
  clock: Pick<Clock, 'now'>
  first: { id: number }
}

/** An install `{name}-phone` of the user `name` who agreed to in-app messages; returns the id of the user. */
export async function addUser({ program, first, clock }: Place, name: string, how: UserKind = {}): Promise<number> {
  const { enabled = true, timezone, hour, subscribed = false } = how
  const row = await addInstall(program, first.id, `${name}-phone`, { user: name, subscribed })
  const install = { row, installId: `${name}-phone` }
  await program.inTransaction((tx) => tx.crm.setInAppEnabled(first.id, install, name, enabled, clock.now()))
  const { write } = program.kernel.db
  if (timezone !== undefined || hour !== undefined) {
    const at = { timezone: timezone ?? null, preferred_hour: hour ?? -1, zone_changed_at: 0 }
    await write((sql) => sql('installs').where({ id: row }).update(at))
  }
  const [user] = await program.inAppRecipients.namedUsers(first.id, [name])
  return user!.id
}

const HELLO: ContentDocument = {
  ver: 1,
  frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello {{Name}}' }] },
}

/** A template `hello` with the tag `Name`, and `plain` without any. */
export async function addTemplates({ program, first }: Pick<Place, 'program' | 'first'>): Promise<void> {
  const tags: Tag[] = [{ title: 'Name', type: 'text', required: true }]
  const plain: ContentDocument = { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello' }] } }
  await program.inTransaction(async (tx) => {
    await tx.templates.create(first.id, { uid: 'hello', content: HELLO, tags, sample: { Name: 'Ann' } })
    await tx.templates.create(first.id, { uid: 'plain', content: plain, tags: [], sample: {} })
  })
}

/** A request that needs nothing but the template `plain`; `extra` replaces top-level fields. */
export function inAppBody(extra: object = {}): object {
  const target = { broadcast: true }
  return { target, template: 'plain', presentedWhen: 'immediately', ttl: { expiresIn: 1, units: 'd' }, ...extra }
}

function inAppRequest(extra: object = {}): InAppRequest {
  return fromInAppForm(parseJson(inAppForm, inAppBody(extra)))
}

/** Accepts a message; nothing of it is given to anybody yet. */
export function accept({ program, first }: Pick<Place, 'program' | 'first'>, extra: object = {}) {
  return program.inTransaction((tx) => tx.inApp.accept(first.id, SOURCE.messages, inAppRequest(extra)))
}

/** Steps every due message to its end. */
export async function handOut({ program, clock }: TestProgram): Promise<void> {
  for (;;) {
    const due = await program.inAppWalks.due(clock.now(), 10)
    if (due.length === 0) return
    for (const id of due) await stepMessage({ read: program, inTransaction: program.inTransaction }, id)
  }
}

/** Identifiers of the users who have a message, in order. */
export async function holders({ program }: TestProgram, id: number): Promise<string[]> {
  const rows: { identifier: string }[] = await program.kernel.db
    .read('user_messages')
    .join('users', 'users.id', 'user_messages.user_id')
    .where({ message_id: id })
    .orderBy('identifier')
    .select('identifier')
  return rows.map(({ identifier }) => identifier)
}
