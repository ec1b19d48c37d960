import type { App } from '../../src/app.ts'
import { stepMessage } from '../../src/domain/in-app/fan-out/step.ts'
import { fromInAppForm, type InAppRequest, inAppForm } from '../../src/domain/in-app/request/request.ts'
import { SOURCE } from '../../src/domain/in-app/types.ts'
import type { ContentDocument, Tag } from '../../src/domain/templates/types.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import type { TestApp } from './app.ts'
import { addInstall, type InstallKind } from './installs.ts'

/** What a test says of a user besides his install. */
export interface UserKind extends InstallKind {
  /** Whether he agreed to in-app messages. Default true. */
  enabled?: boolean
  timezone?: string
  /** -1: not known. */
  hour?: number
}

/** Where users come to be: a test's app, or one of the command line. */
interface Place {
  app: App
  clock: Pick<Clock, 'now'>
  first: { id: number }
}

/** An install `{name}-phone` of the user `name` who agreed to in-app messages; returns the id of the user. */
export async function addUser({ app, first, clock }: Place, name: string, how: UserKind = {}): Promise<number> {
  const { enabled = true, timezone, hour, subscribed = false } = how
  const row = await addInstall(app, first.id, `${name}-phone`, { user: name, subscribed })
  const install = { row, installId: `${name}-phone` }
  await app.inTransaction((tx) => tx.crm.setInAppEnabled(first.id, install, name, enabled, clock.now()))
  const { write } = app.kernel.db
  if (timezone !== undefined || hour !== undefined) {
    const at = { timezone: timezone ?? null, preferred_hour: hour ?? -1, zone_changed_at: 0 }
    await write((sql) => sql('installs').where({ id: row }).update(at))
  }
  const [user] = await app.inAppRecipients.namedUsers(first.id, [name])
  return user!.id
}

const HELLO: ContentDocument = {
  ver: 1,
  frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello {{Name}}' }] },
}

/** A template `hello` with the tag `Name`, and `plain` without any. */
export async function addTemplates({ app, first }: Pick<Place, 'app' | 'first'>): Promise<void> {
  const tags: Tag[] = [{ title: 'Name', type: 'text', required: true }]
  const plain: ContentDocument = { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello' }] } }
  await app.inTransaction(async (tx) => {
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
export function accept({ app, first }: Pick<Place, 'app' | 'first'>, extra: object = {}) {
  return app.inTransaction((tx) => tx.inApp.accept(first.id, SOURCE.messages, inAppRequest(extra)))
}

/** Steps every due message to its end. */
export async function handOut({ app, clock }: TestApp): Promise<void> {
  for (;;) {
    const due = await app.inAppWalks.due(clock.now(), 10)
    if (due.length === 0) return
    for (const id of due) await stepMessage({ read: app, inTransaction: app.inTransaction }, id)
  }
}

/** Identifiers of the users who have a message, in order. */
export async function holders({ app }: TestApp, id: number): Promise<string[]> {
  const rows: { identifier: string }[] = await app.kernel.db
    .read('user_messages')
    .join('users', 'users.id', 'user_messages.user_id')
    .where({ message_id: id })
    .orderBy('identifier')
    .select('identifier')
  return rows.map(({ identifier }) => identifier)
}
