import { createToDo } from '../../../src/doctor/todo.ts'
import { deleteApp } from '../../../src/domain/apps/deletion.ts'
import { checkCandidate } from '../../../src/domain/imports/check.ts'
import { NOTHING } from '../../../src/domain/imports/read/values.ts'
import { noCounts, type Ready } from '../../../src/domain/imports/types.ts'
import { newLink } from '../links.ts'
import { column } from '../tables.ts'
import { type Row, row, rowOf } from './row.ts'
import type { Stage } from './stage.ts'
import { NEW_BANNER } from './world.ts'

/** Calls of services by commands, as far as no route and no job makes the same. */

const cli = (
  call: string,
  run: (s: Stage) => Promise<unknown>,
  more: Partial<Pick<Row, 'larger' | 'most' | 'what'>> = {},
) => row(`cli ${call}`, run, more)

const install = (s: Stage) => `install-${s.some()}`
const makeApp = (s: Stage) => s.program.inTransaction((tx) => tx.apps.create({ name: `App ${s.next()}` }))
const makeTable = (s: Stage) =>
  s.program.inTransaction((tx) => tx.tables.create(s.first.id, `t${s.next()}`, [column('title', 'string')]))
const broadcast: { kind: 'broadcast'; exclude: number[] } = { kind: 'broadcast', exclude: [] }
const makeBanner = (s: Stage) => s.program.inTransaction((tx) => tx.banners.create(s.first.id, NEW_BANNER))
const dropBanner = ({ program, first }: Stage, { uuid }: { uuid: string }) =>
  program.inTransaction((tx) => tx.banners.delete(first.id, uuid))
const addPrompt = ({ program, first }: Stage, name: string) =>
  program.inTransaction((tx) => tx.prompts.create(first.id, name, { type: 'bell' }))
const dropPrompt = ({ program, first }: Stage, name: string) =>
  program.inTransaction((tx) => tx.prompts.delete(first.id, name))
async function makePrompt(s: Stage): Promise<string> {
  const name = `p${s.next()}`
  await addPrompt(s, name)
  return name
}

/** A batch of an import, with installs that are new and one that is there, from its begin to its end. */
async function importBatch(s: Stage): Promise<void> {
  const { program, first } = s
  const rows = Array.from({ length: 10 }, (_, i) => {
    const name = `${s.next()}-${i}`
    const words = { platform: 'android', token: `imported-${name}`, user: i % 2 === 0 ? `person-${name}` : null }
    const given = { ...NOTHING, ...words, key: name, platform: 'android' as const, attributes: { plan: 'pro' } }
    return { ready: [checkCandidate(given, program.imports.rules('csv')) as Ready] }
  })
  const storing = { channels: new Map<string, number>(), suppressOptedOut: false }
  await program.inTransaction(async (tx) => {
    const begun = await tx.imports.begin(first.id, 'csv', `digest ${s.next()}`, noCounts())
    await tx.imports.store(first.id, rows, storing)
    // Again: all of them are there, and users who lack attributes get them.
    const more = rows.map(({ ready: [one] }) => ({
      ready: [{ ...one!, installId: `${one!.installId}-2`, token: null, attributes: { more: s.next() } }],
    }))
    await tx.imports.store(first.id, [...rows, ...more], storing)
    // And once more, when they have opted out in the former service.
    const gone = rows.map(({ ready: [one] }) => ({ ready: [{ ...one!, enabled: false, optedOut: true }] }))
    await tx.imports.store(first.id, gone, storing)
    const step = { place: 10, counts: noCounts(), errorsSize: 0 }
    await tx.imports.advance(begun, step)
    await tx.imports.finish({ ...begun, ...step })
  })
}

const TAIL: Row[] = [
  cli('eventLog.last', ({ program, first }) => program.eventLog.last({ appId: first.id, limit: 10 })),
  cli(
    'eventLog.last',
    ({ program, first }) => program.eventLog.last({ appId: first.id, types: ['order.paid'], limit: 10 }),
    {
      what: 'of some types',
    },
  ),
  cli('links.findEach', ({ program, first }) => program.links.findEach(first.id, ['spring', 'summer'])),
  cli('eventLog.end', ({ program }) => program.eventLog.end()),
]

/** A row that creates something, of which an app has a limited number, and takes it back. */
function creation<T>(
  covers: string,
  create: (s: Stage) => Promise<T>,
  takeBack: (s: Stage, made: T) => Promise<unknown>,
): Row {
  return {
    covers,
    what: '',
    act(stage) {
      let made: T | undefined
      return Promise.resolve({
        run: async () => (made = await create(stage)),
        after: () => takeBack(stage, made!),
      })
    },
  }
}

const KEYS = {
  restKeys: ({ program, first }: Stage): Promise<{ id: number }> =>
    program.inTransaction((tx) => tx.restKeys.create(first.id, { permissions: ['read'] })),
  serverKeys: ({ program, first }: Stage): Promise<{ id: number }> =>
    program.inTransaction((tx) => tx.serverKeys.create(first.id, { permissions: ['read'] })),
}

/** Keys of one kind; an app may have a hundred at once. */
function keyRows(kind: keyof typeof KEYS): Row[] {
  const create = KEYS[kind]
  const revoke = ({ program, first }: Stage, { id }: { id: number }): Promise<unknown> =>
    program.inTransaction<unknown>((tx) => tx[kind].revoke(first.id, id))
  return [
    creation(`cli ${kind}.create`, create, revoke),
    cli(`${kind}.list`, ({ program, first }) => program[kind].list(first.id)),
    rowOf(`cli ${kind}.revoke`, create, revoke),
  ]
}

/** A further call of the console. */
const console = (call: string, run: (s: Stage) => Promise<unknown>, more: Partial<Pick<Row, 'most' | 'what'>> = {}) =>
  row(`console ${call}`, run, more)

const FIGURES: Row[] = [
  cli('statistics.pushDays', ({ program, first }) =>
    program.statistics.pushDays(first.id, { days: 90, zone: 'Asia/Kolkata' }),
  ),
  cli('statistics.installs', ({ program, first }) => program.statistics.installs(first.id)),
  console('pushCourse', ({ program, first, world }) => program.statistics.pushCourse(first.id, world.big)),
  console('linkDays', ({ program, first }) => program.statistics.linkDays(first.id, { days: 90 })),
  console('linkDays', ({ program, first }) => program.statistics.linkDays(first.id, { linkId: 1 }), {
    what: 'of a link',
  }),
  console('underWay', ({ program, first }) => program.underWay(first.id)),
  console('underWay', ({ program, first }) => program.inApp.underWay(first.id), { what: 'in-app messages' }),
  console('todo', ({ program, first }) => createToDo(program)(first.id)),
]

const APPS: Row[] = [
  cli('apps.keys', ({ program, first }) => program.apps.keys(first.id)),
  cli('apps.confirmAbove', ({ program, first }) => program.apps.confirmAbove(first.id)),
  rowOf('cli apps.change', makeApp, ({ program }, { id }) =>
    program.inTransaction((tx) => tx.apps.change(id, { name: 'Renamed' })),
  ),
  rowOf('cli apps.rotate', makeApp, ({ program }, { id }) =>
    program.inTransaction((tx) => tx.apps.rotate(id, 'server', 1000)),
  ),
  rowOf('cli deleteApp', makeApp, ({ program, clock }, { id }) =>
    deleteApp({ inTransaction: program.inTransaction, clock }, id),
  ),
  ...keyRows('restKeys'),
  ...keyRows('serverKeys'),
  cli('serverKeys.find', ({ program, first }) => program.serverKeys.find(first.id, 999)),
  cli('signedIds.report', ({ program, first }) => program.signedIds.report(first.id)),
]

const PEOPLE: Row[] = [
  cli('channels.counts', ({ program, first, world }) => program.channels.counts(first.id, world.channel), {
    larger: 'counts the subscribers',
    most: 20,
  }),
  cli('checkins.list', ({ program, first }) => program.checkins.list(first.id, undefined, 20)),
  cli('crashes.list', ({ program, first }) => program.crashes.list(first.id, {}, undefined, 20)),
  cli('crashes.groups', ({ program, first }) => program.crashes.groups(first.id, {}, 20), {
    larger: 'groups every report that is kept',
    most: 5,
  }),
  cli('crashes.get', async ({ program, first }) => {
    const [one] = await program.crashes.list(first.id, {}, undefined, 1)
    await program.crashes.get(first.id, one!.id)
  }),
  cli('crm.deliveryRecipients', (s) => s.program.crm.deliveryRecipients(s.first.id, [s.some()])),
  cli('crm.listInstalls', (s) => s.program.crm.listInstalls(s.first.id, s.some(), 20)),
  cli('segments.noteSize', async ({ program, first, world }) => {
    const segment = await program.segments.get(first.id, { uuid: world.segment })
    await program.inTransaction((tx) => tx.segments.noteSize(segment, { total: 1000, isEstimate: false }))
  }),
  cli('crm.showInstall', (s) => s.program.crm.showInstall(s.first.id, install(s))),
]

const PUSH: Row[] = [
  cli('gateways.expiries', ({ program }) => program.gateways.expiries()),
  cli('gateways.find', ({ program, first }) => program.gateways.find(first.id, 'android')),
  rowOf('cli prompts.create', async (s) => `p${s.next()}`, addPrompt, { after: dropPrompt }),
  cli('prompts.get', ({ program, first }) => program.prompts.get(first.id, 'ask')),
  rowOf(
    'cli prompts.update',
    makePrompt,
    ({ program, first }, name) =>
      program.inTransaction((tx) => tx.prompts.update(first.id, name, { trigger: { event: 'cartFilled' } })),
    { after: dropPrompt },
  ),
  rowOf('cli prompts.delete', makePrompt, ({ program, first }, name) =>
    program.inTransaction((tx) => tx.prompts.delete(first.id, name)),
  ),
  cli('inAppReach.preview', ({ program, first }) => program.inAppReach.preview(first.id, broadcast, { pushes: true }), {
    larger: 'counts the recipients',
    most: 5,
  }),
  cli('inAppWalks.due', ({ program, clock }) => program.inAppWalks.due(clock.now(), 1000)),
  cli('inAppWalks.openIds', ({ program }) => program.inAppWalks.openIds(1000)),
  cli('traces.recipient', (s) => s.program.traces.recipient(s.first.id, s.world.big, install(s)), {
    larger: 'looks at every page of the notification',
  }),
  cli('traces.some', ({ program, first, world }) => program.traces.some(first.id, world.big, 3), {
    larger: 'looks at every page of the notification',
  }),
  cli(
    'conservation.addUp',
    ({ program }) =>
      program.conservation.addUp({ newest: 5, open: 5, recipients: 1e9, signal: new AbortController().signal }),
    { larger: 'reads every page of the notifications', most: 5 },
  ),
  cli('vitals.open', ({ program }) => program.vitals.open()),
  cli('vitals.oldestDueAt', ({ program, clock }) => program.vitals.oldestDueAt(clock.now())),
  cli('vitals.openNotifications', ({ program }) => program.vitals.openNotifications(20)),
  cli('vitals.waiting', ({ program, clock }) => program.vitals.waiting(clock.now())),
  cli('storedFaults.list', ({ program }) => program.storedFaults.list()),
]

const DATA: Row[] = [
  cli('banners.list', (s) => s.program.banners.list(s.first.id)),
  creation('cli banners.create', makeBanner, dropBanner),
  rowOf(
    'cli banners.update',
    makeBanner,
    ({ program, first }, { uuid }) =>
      program.inTransaction((tx) => tx.banners.update(first.id, uuid, { position: 'top' })),
    { after: dropBanner },
  ),
  rowOf('cli banners.delete', makeBanner, dropBanner),
  cli('links.adopt', (s) =>
    s.program.inTransaction((tx) => tx.links.adopt(s.first.id, [newLink({ slug: `adopted-${s.next()}` })])),
  ),
  cli('links.tooLarge', async (s) => s.program.links.tooLarge(newLink({}))),
  cli('imports.rules', async ({ program }) => program.imports.rules('csv')),
  cli('imports.find', ({ program, first }) => program.imports.find(first.id, 'csv', 'none')),
  cli('imports.begin', importBatch, { what: 'and a batch of new installs and users' }),
  cli('imports.unfinished', ({ program }) => program.imports.unfinished(5)),
  cli('imports.list', ({ program, first }) => program.imports.list(first.id, { after: 1, limit: 5 })),
  cli('imports.drop', async ({ program, first }) => {
    const { id } = await program.inTransaction((tx) => tx.imports.begin(first.id, 'csv', 'dropped', noCounts()))
    await program.inTransaction((tx) => tx.imports.drop(first.id, id))
  }),
  cli('imports.standing', ({ program, first }) =>
    program.imports.standing(first.id, ['csv-none', 'csv-nobody'], ['no-token', 'another']),
  ),
  cli('imports.withoutErased', ({ program, first }) =>
    program.imports.withoutErased(
      first.id,
      ['a', 'b', 'c'].map((key) => {
        const given = { ...NOTHING, key, platform: 'android' as const, token: `token-${key}`, user: `user-${key}` }
        return { ready: [checkCandidate(given, program.imports.rules('csv')) as Ready] }
      }),
    ),
  ),
  cli('channels.findByUuids', ({ program, first }) => program.channels.findByUuids(first.id, ['news', 'none'])),
  cli('tables.create', makeTable),
  cli('tables.list', ({ program, first }) => program.tables.list(first.id)),
  cli('tables.get', ({ program, first }) => program.tables.get(first.id, 'things')),
  cli('tables.count', async ({ program, first }) => program.tables.count(await program.tables.get(first.id, 'things'))),
  rowOf('cli tables.alter', makeTable, ({ program, first }, { alias }) =>
    program.inTransaction((tx) => tx.tables.alter(first.id, alias, [{ do: 'add', column: column('year', 'integer') }])),
  ),
  rowOf(
    'cli tables.storeKeys',
    ({ program, first }) =>
      program.inTransaction((tx) => tx.tables.alter(first.id, 'names', [{ do: 'set', name: 'other', collate: 'und' }])),
    ({ program, first }, { alias }) => program.inTransaction((tx) => tx.tables.storeKeys(first.id, alias)),
  ),
  rowOf('cli tables.drop', makeTable, ({ program, first }, { alias }) =>
    program.inTransaction((tx) => tx.tables.drop(first.id, alias)),
  ),
  rowOf('cli tables.recount', makeTable, ({ program, first }, { alias }) =>
    program.inTransaction((tx) => tx.tables.recount(first.id, alias)),
  ),
  cli('records.behind', async ({ program, first, world }) => {
    const { alias } = await program.tables.get(first.id, 'things')
    const { records } = await program.records.behind(first.id, alias, Math.floor(world.installs / 4), 20)
    for await (const _ of records);
  }),
]

const makeHook = (s: Stage) =>
  s.program.inTransaction((tx) => tx.webhooks.create(s.first.id, { url: 'https://hooks.example.com/' }))
const dropHook = ({ program, first }: Stage, { webhook }: { webhook: { id: number } }) =>
  program.inTransaction((tx) => tx.webhooks.remove(first.id, webhook.id))

const WEBHOOKS: Row[] = [
  rowOf(
    'cli webhooks.secrets',
    makeHook,
    ({ program, first }, { webhook }) => program.webhooks.secrets(first.id, webhook.id),
    {
      after: dropHook,
      most: 20,
    },
  ),
]

export const COMMAND_ROWS: readonly Row[] = [...APPS, ...FIGURES, ...TAIL, ...PEOPLE, ...PUSH, ...DATA, ...WEBHOOKS]
