import { expect } from 'chai'
import type { Install } from '../../../src/domain/crm/types.ts'
import { STATUS } from '../../../src/domain/notifications/types.ts'
import { createWhy } from '../../../src/domain/profiles/why.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { testClock } from '../../support/clock.ts'

type Parts = Parameters<typeof createWhy>[0]

describe('why a person got a notification or did not', () => {
  const clock = testClock()
  const NOW = clock.now()
  const install = (row: number, more: Partial<Install> = {}): Install =>
    ({
      row,
      installId: `i${row}`,
      os: 'iOS',
      deviceName: 'iPhone',
      deviceModel: 'iPhone17,1',
      platform: 1,
      subscribed: true,
      notificationsEnabled: true,
      createdAt: NOW - 1000,
      lastActive: row,
      ...more,
    }) as Install
  interface World {
    installs?: Install[]
    status?: number
    /** By row. */
    states?: Record<number, string>
    notBefore?: number
    reported?: { installRow: number; openedAt: number | null; deliveredAt: number | null }[]
    isForgotten?: boolean
    walked?: boolean
    missing?: () => Promise<unknown>
    tokens?: { row: number; hasToken: boolean; retired: boolean }[]
  }

  async function explain(world: World) {
    const { installs = [install(1)], states = {}, status = STATUS.sent } = world
    const parts = {
      user: async () => ({ installs }),
      notifications: { get: async () => ({ id: 5, status, updatedAt: NOW }) },
      ledger: { walked: async () => (world.walked === false ? undefined : { target: {} }) },
      kept: { keptCounts: async () => (world.isForgotten ? {} : undefined) },
      traces: {
        of: async (_app: number, _notification: unknown, { row }: Install) => {
          const state = states[row] ?? 'not_a_recipient'
          const pages = state === 'not_a_recipient' || state === 'waiting' ? [] : [{ notBefore: world.notBefore ?? 0 }]
          return { install: `i${row}`, state, pages, answers: [] }
        },
      },
      audience: { missing: world.missing ?? (async () => undefined) },
      tokens: { tokens: async () => world.tokens ?? [] },
      reports: { reported: async () => world.reported ?? [] },
      clock,
    }
    return createWhy(parts as unknown as Parts).explain(1, 2, 5)
  }
  const statesOf = async (world: World) => (await explain(world)).installs.map(({ state }) => state)

  const off = { notificationsEnabled: false, subscribed: false }
  const rows: [state: string, world: World][] = [
    ['accepted', { states: { 1: 'accepted' } }],
    ['opened', { states: { 1: 'accepted' }, reported: [{ installRow: 1, openedAt: 5, deliveredAt: 4 }] }],
    ['delivered', { states: { 1: 'accepted' }, reported: [{ installRow: 1, openedAt: null, deliveredAt: 4 }] }],
    ['accepted', { states: { 1: 'accepted' }, reported: [{ installRow: 2, openedAt: 5, deliveredAt: 4 }] }],
    ['not_due', { status: STATUS.scheduled }],
    ['accepted', { status: STATUS.scheduled, states: { 1: 'accepted' } }],
    ['cancelled', { status: STATUS.cancelled }],
    ['accepted', { status: STATUS.cancelled, states: { 1: 'accepted' } }],
    ['forgotten', { isForgotten: true }],
    ['came_later', { installs: [install(1, { createdAt: NOW + 1 })] }],
    ['not_a_recipient', { installs: [install(1, { createdAt: NOW })] }],
    ['excluded', { missing: async () => 'excluded' }],
    ['not_named', { missing: async () => 'names', installs: [install(1, off)] }],
    ['not_in_channel', { missing: async () => 'channels' }],
    ['not_in_geofence', { missing: async () => 'geofences' }],
    ['not_in_segment', { missing: async () => 'segments' }],
    ['not_in_segment', { missing: () => Promise.reject(new AppError('not_found', 'no segment')) }],
    ['not_a_recipient', { walked: false, missing: async () => 'excluded' }],
    ['notifications_off', { installs: [install(1, off)], tokens: [{ row: 1, hasToken: true, retired: false }] }],
    ['notifications_off', { installs: [install(1, off)] }],
    ['token_retired', { installs: [install(1, off)], tokens: [{ row: 1, hasToken: false, retired: true }] }],
    [
      'no_token',
      { installs: [install(1, { subscribed: false })], tokens: [{ row: 1, hasToken: true, retired: true }] },
    ],
    ['no_token', { installs: [install(1, { subscribed: false })] }],
  ]
  for (const [i, [state, world]] of rows.entries()) {
    it(`is that it is ${state} (${i})`, async () => expect(await statesOf(world)).to.deep.equal([state]))
  }

  it('is thrown when something else cannot be found out', async () => {
    const error = await explain({ missing: () => Promise.reject(new AppError('unavailable', 'away')) }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.have.property('message', 'away')
  })

  it('is told of the twenty installs that were active last, the last one first', async () => {
    const installs = Array.from({ length: 21 }, (_, i) => install(i + 1))
    const found = (await explain({ installs })).installs.map((one) => one.install.row)
    expect(found).to.deep.equal(Array.from({ length: 20 }, (_, i) => 21 - i))
  })

  it('says when it is tried next, while it is still to come', async () => {
    const nextAt = async (state: string, notBefore: number) =>
      (await explain({ states: { 1: state }, notBefore })).installs[0]!.nextAt
    expect(await nextAt('pending', NOW + 1)).to.equal(NOW + 1)
    expect(await nextAt('pending', NOW)).to.equal(null)
    expect(await nextAt('accepted', NOW + 1)).to.equal(null)
  })

  it('is summed up for a person: how many installs it reached, or the one reason of all', async () => {
    const sum = async (...states: string[]) => {
      const world = { installs: states.map((_, i) => install(i + 1)), states: { ...[undefined, ...states] } }
      const { wasReached, says } = await explain(world as World)
      return [wasReached, says]
    }
    const [, accepted] = await sum('accepted')
    expect(await sum('accepted', 'accepted')).to.deep.equal([true, accepted])
    expect(await sum('accepted', 'failed', 'expired')).to.deep.equal([true, 'It reached 1 of 3 installs.'])
    const none = 'It reached none of 2 installs, for different reasons.'
    expect(await sum('failed', 'expired')).to.deep.equal([false, none])
    expect((await sum('expired', 'expired'))[0]).to.equal(false)
    expect((await explain({ installs: [] })).wasReached).to.equal(false)
  })
})
