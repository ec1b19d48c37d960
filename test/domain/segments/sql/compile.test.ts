import { expect } from 'chai'
import { subscribedCondition } from '../../../../src/domain/channels/subscriptions.repository.ts'
import { BUILD_KINDS } from '../../../../src/domain/crm/types.ts'
import { readFilter } from '../../../../src/domain/segments/filter.ts'
import { compileCondition } from '../../../../src/domain/segments/sql/compile.ts'
import { rowsOf } from '../../../../src/platform/db/dialect.ts'
import { many, reaches } from '../../../support/depth.ts'
import { chosenKinds, onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'
import { type Leaf, matches, type Written } from '../evaluate.ts'
import {
  CHANNELS,
  COUNTRIES,
  IDENTIFIERS,
  KEYS,
  LOCALES,
  NOW,
  NUMBERS,
  OSES,
  type Random,
  randomPeople,
  SDKS,
  seeded,
  storePeople,
  TEXTS,
  TRANSPORTS,
  VERSIONS,
  ZONES,
} from '../population.ts'

const PEOPLE = 300
/** Filters in one statement. */
const AT_ONCE = 20
const SEED = 20260301
/** Filters made by chance. */
const TREES = many(80, { whole: 200 })
const people = randomPeople(seeded(SEED), PEOPLE)

const WORDS: Record<string, readonly string[]> = {
  identifier: [...IDENTIFIERS, 'user-17', 'nobody'],
  os: [...OSES, 'ios', 'ANDROID', 'BeOS'],
  sdkType: SDKS,
  locale: LOCALES,
  language: ['en', 'EN', 'de', 'zh', 'fr'],
  countryIsoCode: [...COUNTRIES, 'gb'],
  timezone: ZONES,
  buildKind: BUILD_KINDS,
  transport: [...TRANSPORTS, 'FCM', 'UnifiedPush'],
}
const ORDERS = ['lessThan', 'atMost', 'greaterThan', 'atLeast']

/** Every field with every operator and every value worth asking for. */
function everyLeaf(): Leaf[] {
  const leaves: Leaf[] = []
  const ask = (field: string, op: string, ...values: readonly unknown[]) =>
    void leaves.push(...values.map((value) => ({ field, op, value })))
  for (const [field, words] of Object.entries(WORDS)) {
    for (const op of ['equals', 'notEquals']) ask(field, op, ...words)
    ask(field, 'in', words, words.slice(0, 1))
    if (field !== 'identifier' && field !== 'language') ask(field, 'exists', true, false)
  }
  for (const op of ['equals', 'notEquals']) ask('appVersion', op, ...VERSIONS)
  ask('appVersion', 'in', VERSIONS, ['1.10', 'nightly'], ['nightly'])
  for (const op of ORDERS) ask('appVersion', op, ...VERSIONS.filter((version) => /\d/.test(version)))
  ask('appVersion', 'exists', true, false)
  for (const field of ['firstActive', 'lastActive']) {
    for (const op of ['withinDays', 'olderThanDays']) ask(field, op, 0.5, 1, 7, 30, 36_500)
    for (const op of ['before', 'since', ...ORDERS])
      ask(field, op, '2026-02-28', '2026-02-28T12:00:00Z', '2026-02-28T13:00:00+01:00')
  }
  ask('identifier', 'known', true, false)
  for (const field of ['inAppEnabled', 'subscribedToPush']) ask(field, 'equals', true, false)
  for (const field of ['simulator', 'timeSensitive']) {
    for (const op of ['equals', 'notEquals', 'exists']) ask(field, op, true, false)
  }
  ask('channel', 'equals', ...CHANNELS)
  ask('channel', 'in', CHANNELS)
  for (const key of KEYS) {
    const field = `attributes[${JSON.stringify(key)}]`
    ask(field, 'exists', true, false)
    ask(field, 'equals', 'gold', 10, true, false, '')
    ask(field, 'in', ['gold', 10, true], [...TEXTS, ...NUMBERS], [false])
    for (const op of ORDERS) ask(field, op, 10, 'gold')
  }
  const askAttribute = (field: string, texts: readonly string[], numbers: readonly number[]) => {
    for (const op of ['equals', 'notEquals', ...ORDERS]) ask(field, op, ...texts, ...numbers)
    for (const op of ['startsWith', 'contains']) ask(field, op, ...texts, 'go', 'l')
  }
  askAttribute(
    'attributes.plan',
    TEXTS.filter((text) => text !== ''),
    NUMBERS,
  )
  for (const field of ['attributes["plan"].age', 'attributes.a["with \\"quotes\\""]', 'attributes.plan["0"]']) {
    askAttribute(field, TEXTS.slice(0, 4), NUMBERS.slice(2, 6))
  }
  return leaves
}

function randomTree(random: Random, leaves: readonly Leaf[], depth = 0): Written {
  const kind = random.below(depth > 4 ? 2 : 6)
  if (kind <= 1) return random.pick(leaves)
  if (kind === 2) return { not: randomTree(random, leaves, depth + 1) }
  const parts = Array.from({ length: 1 + random.below(4) }, () => randomTree(random, leaves, depth + 1))
  return kind % 2 === 1 ? { and: parts } : { or: parts }
}

/** Leaves for the second of two databases: from `.ci/run` on all, before that of each field and operator every second one, the first and the last among them. */
function someLeaves(leaves: readonly Leaf[]): readonly Leaf[] {
  if (reaches('whole')) return leaves
  const groups = Map.groupBy(leaves, ({ field, op }) => `${field} ${op}`)
  return [...groups.values()].flatMap((some) => some.filter((_, i) => i % 2 === 0 || i === some.length - 1))
}

/** The install ids that each filter selects, kept for the second database. */
const selections = new Map<string, string[]>()

/** The install ids that plain JavaScript selects. */
function selectionOf(filter: Written): string[] {
  const text = JSON.stringify(filter)
  const known = selections.get(text) ?? people.filter((one) => matches(filter, one)).map((one) => one.installId)
  selections.set(text, known)
  return known
}

onEachDatabase('a filter as SQL', (kind) => {
  let test: TestProgram
  const channelIds = new Map<string, number>()
  before(async () => {
    test = await openTestProgram({ kind })
    test.clock.set(NOW)
    const { id } = test.first
    await test.program.inTransaction(async ({ channels }) => {
      for (const uuid of CHANNELS) channelIds.set(uuid, (await channels.create(id, { uuid })).id)
    })
    await test.program.kernel.db.write((trx) => storePeople(trx, id, people, channelIds))
  })
  after(() => test.close())

  /** Install ids that each filter selects, several filters a statement. */
  async function* selected(filters: readonly Written[]): AsyncGenerator<{ filter: Written; ids: string[] }> {
    const sql = test.program.kernel.db.read
    for (let i = 0; i < filters.length; i += AT_ONCE) {
      const some = filters.slice(i, i + AT_ONCE)
      const conditions = some.map((filter) => {
        const { condition, errors } = readFilter(filter)
        if (!condition) throw new Error(`${JSON.stringify(filter)}: ${JSON.stringify(errors)}`)
        return compileCondition(condition, {
          sql,
          now: NOW,
          subscribed: (uuids) =>
            subscribedCondition(
              sql,
              test.first.id,
              uuids.map((uuid) => channelIds.get(uuid)!),
            ),
          inside: () => undefined,
          counted: () => undefined,
        })
      })
      const columns = conditions.map((_, n) => `? AS c${n}`).join(', ')
      const result = await sql.raw(`SELECT install_id, ${columns} FROM installs ORDER BY id`, conditions)
      const rows = rowsOf<Record<string, unknown>>(result)
      for (const [n, filter] of some.entries()) {
        // One check for all rows: a million of them would take half a minute.
        expect(
          rows.some((row) => row[`c${n}`] === null),
          `${JSON.stringify(filter)} is unknown`,
        ).to.equal(false)
        yield { filter, ids: rows.filter((row) => row[`c${n}`]).map((row) => row.install_id as string) }
      }
    }
  }

  /** Compares with what plain JavaScript selects. As texts: a thousand comparisons of lists take seconds. */
  function check(filter: Written, ids: string[], says = ''): void {
    const expected = selectionOf(filter)
    if (ids.join() !== expected.join()) expect(ids, `${says}${JSON.stringify(filter)}`).to.deep.equal(expected)
  }

  it('selects whom plain JavaScript selects, for every field, operator and value', async () => {
    const leaves = kind === chosenKinds[0] ? everyLeaf() : someLeaves(everyLeaf())
    let telling = 0
    for await (const { filter, ids } of selected(leaves)) {
      check(filter, ids)
      if (ids.length > 0 && ids.length < PEOPLE) telling++
    }
    expect(telling / leaves.length, 'filters that tell some from others').to.be.above(0.7)
  })

  it('selects whom plain JavaScript selects, for random trees', async () => {
    const random = seeded(SEED + 1)
    const leaves = everyLeaf()
    const trees = Array.from({ length: TREES }, () => randomTree(random, leaves))
    for await (const { filter, ids } of selected(trees)) {
      check(filter, ids, `seed ${SEED}: `)
    }
  })
})
