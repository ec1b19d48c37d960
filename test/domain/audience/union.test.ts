import { expect } from 'chai'
import { lookupTarget, type Targeting, without } from '../../../src/domain/audience/target.ts'
import type { Cursor } from '../../../src/domain/audience/walk/walk.ts'
import type { Within } from '../../../src/domain/audience/walk/within.ts'
import type { Areas } from '../../../src/program.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

/** Installs 0 to 59 of users 0 to 29, two each: every 2nd is subscribed to the channel, every 3rd is in the segment. */
const COUNT = 60
const ZONES = ['Europe/Berlin', 'Asia/Tokyo', null]

onEachDatabase('an audience of several groups', (kind) => {
  let test: TestProgram
  let segmentUuid: string
  const numbers = new Map<number, number>()
  const rows: number[] = []

  before(async () => {
    test = await openTestProgram({ kind })
    const { program, first } = test
    for (let i = 0; i < COUNT; i++) {
      rows[i] = await addInstall(program, first.id, `install-${i}`, { user: `user-${i % 30}` })
      numbers.set(rows[i]!, i)
    }
    await program.kernel.db.write(async (trx) => {
      for (const [i, row] of rows.entries()) {
        await trx('installs')
          .where({ id: row })
          .update({ timezone: ZONES[i % 3], locale: i % 3 === 0 ? 'third' : 'other' })
      }
    })
    await program.inTransaction(async (tx) => {
      const filter = { field: 'locale', op: 'equals', value: 'third' }
      segmentUuid = (await tx.segments.create(first.id, { name: 'Thirds', filter })).uuid
      await subscribe(tx, 'news', (i) => i % 2 === 0)
    })
  })
  after(() => test.close())

  async function subscribe(tx: Areas, uuid: string, who: (i: number) => boolean) {
    const channel = await tx.channels.create(test.first.id, { uuid })
    const installIds = [...numbers.values()].filter(who).map((i) => `install-${i}`)
    await tx.subscriptions.changeSubscribers(test.first.id, channel.id, { installIds }, { subscribe: true, all: true })
    return channel
  }

  const lookup = (targeting: Targeting) =>
    test.program.inTransaction((tx) => lookupTarget(tx.crm, tx, test.first.id, targeting, ''))

  /** Walks and returns the recipients, in their order; `between` runs after each step. */
  async function meant(
    targeting: Targeting,
    { limit = 4, within, between }: { limit?: number; within?: Within; between?: () => Promise<unknown> } = {},
  ): Promise<number[]> {
    const { target } = await lookup(targeting)
    const found: number[] = []
    let cursor: Cursor = {}
    for (let done = false; !done; ) {
      const step = await test.program.audience.step(test.first.id, target, cursor, limit, within)
      for (const one of step.steps) found.push(...one.rows.map((row) => numbers.get(row)!))
      cursor = JSON.parse(JSON.stringify(step.cursor)) as Cursor
      done = step.done
      await between?.()
    }
    return found
  }
  const sorted = (found: number[]) => found.toSorted((a, b) => a - b)
  const where = (holds: (i: number) => boolean) => [...numbers.values()].filter(holds)

  const CASES: [string, () => Targeting, (i: number) => boolean][] = [
    [
      'installs and a channel',
      () => ({ installIds: ['install-1', 'install-2'], channelUuids: ['news'] }),
      (i) => i % 2 === 0 || i === 1,
    ],
    ['users and a segment', () => ({ userIds: ['user-1', 'user-3'], segmentUuid }), (i) => i % 3 === 0 || i % 30 === 1],
    [
      'installs, and those in the segment who are in the channel too',
      () => ({ installIds: ['install-1'], segmentUuid, channelUuids: ['news'] }),
      (i) => i % 6 === 0 || i === 1,
    ],
    [
      'everybody, whatever else is named',
      () => ({ broadcast: true, installIds: ['install-1'], channelUuids: ['news'] }),
      () => true,
    ],
    [
      'nobody who is excluded, in whichever group',
      () => ({
        installIds: ['install-1', 'install-3', 'install-4'],
        channelUuids: ['news'],
        excludeInstallIds: ['install-3', 'install-4', 'install-6', 'nobody'],
      }),
      (i) => (i % 2 === 0 && i !== 4 && i !== 6) || i === 1,
    ],
    [
      'nobody more when all who are named are unknown',
      () => ({ installIds: ['nobody'], userIds: ['nobody'], channelUuids: ['news'] }),
      (i) => i % 2 === 0,
    ],
  ]
  for (const [what, targeting, holds] of CASES) {
    it(`means ${what}, each once and always in the same order`, async () => {
      for (const limit of [1, 2, 7, 1000]) {
        const found = await meant(targeting(), { limit })
        expect(sorted(found), `in steps of ${limit}`).to.deep.equal(where(holds))
        expect(await meant(targeting(), { limit })).to.deep.equal(found)
      }
    })
  }

  it('comes zone by zone, each install once over all zones', async () => {
    const targeting = { installIds: ['install-1', 'install-2', 'install-3'], channelUuids: ['news'] }
    const changedSince = Number.MAX_SAFE_INTEGER
    const found: number[] = []
    for (const zone of ZONES) {
      const within = { places: [{ zone, hours: null }], changedSince }
      const here = await meant(targeting, { limit: 3, within })
      expect(here.every((i) => ZONES[i % 3] === zone)).to.equal(true)
      found.push(...here)
    }
    expect(sorted(found)).to.deep.equal(where((i) => i % 2 === 0 || i === 1 || i === 3))
  })

  it('includes the zones of named installs, even if nobody else is there', async () => {
    const { program, first } = test
    const row = await addInstall(program, first.id, 'far', { user: 'far' })
    await program.kernel.db.write((trx) => trx('installs').where({ id: row }).update({ timezone: 'Pacific/Apia' }))
    const { target } = await lookup({ installIds: ['far'], channelUuids: ['news'] })
    // Whoever was named and is not subscribed any more must end somewhere, too.
    await program.kernel.db.write((trx) => trx('installs').where({ id: row }).update({ subscribed: false }))
    expect(await program.audience.zones(first.id, target)).to.have.members([...ZONES, 'Pacific/Apia'])
  })

  it('contains a named install once, whether it joins or leaves the channel meanwhile', async () => {
    const channel = await test.program.inTransaction((tx) => subscribe(tx, 'moving', (i) => i < 10))
    const installIds = ['install-5', 'install-55']
    const turn = (subscribed: string[], gone: string[]) =>
      test.program.inTransaction(async (tx) => {
        const change = (ids: string[], subscribe: boolean) =>
          tx.subscriptions.changeSubscribers(test.first.id, channel.id, { installIds: ids }, { subscribe, all: true })
        await change(subscribed, true)
        await change(gone, false)
      })
    const found = await meant(
      { installIds, channelUuids: ['moving'] },
      { limit: 1, between: () => turn(['install-55'], ['install-5']) },
    )
    expect(sorted(found)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 55])
  })

  it('reports named ids that cannot be reached, and is reachable all the same', async () => {
    const found = await lookup({ installIds: ['nobody'], userIds: ['user-1', 'noone'], channelUuids: ['news'] })
    expect(found).to.deep.include({
      reachable: true,
      errors: { unknownInstallIds: ['nobody'], unknownUserIds: ['noone'] },
    })
    const everybody = await lookup({ broadcast: true, installIds: ['nobody'] })
    expect(everybody).to.deep.equal({
      target: { kind: 'broadcast', exclude: [] },
      errors: { unknownInstallIds: ['nobody'] },
      reachable: true,
    })
    expect((await lookup({ installIds: ['nobody'] })).reachable).to.equal(false)
  })

  it('is refused for an unknown channel, even together with a broadcast', async () => {
    for (const more of [{ installIds: ['install-1'] }, { broadcast: true }]) {
      const error = await lookup({ ...more, channelUuids: ['nope'] }).catch((thrown: unknown) => thrown)
      expect(error).to.have.nested.property('details.fields').that.has.all.keys('channelUuids[0]')
    }
  })
})

describe('rows without others', () => {
  it('are those that the other list does not contain', () => {
    const others = Array.from({ length: 1000 }, (_, i) => i * 3)
    for (const some of [[], [0], [7], others]) {
      const rows = Array.from({ length: 3010 }, (_, i) => i - 5)
      const held = new Set(some)
      expect(without(rows, some)).to.deep.equal(rows.filter((row) => !held.has(row)))
    }
  })
})
