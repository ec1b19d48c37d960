import { expect } from 'chai'
import type { Profile } from '../../../src/domain/profiles/types.ts'
import { presentProfile } from '../../../src/present/admin/profiles.ts'

const install = (installId: string, lastActive: number) =>
  ({
    installId,
    row: lastActive,
    platform: null,
    subscribed: false,
    createdAt: 1,
    lastActive,
  }) as unknown as Profile['user']['installs'][number]

describe('a profile', () => {
  it('has the installs in the order in which they were active, the latest first', () => {
    const installs = [install('second', 20), install('third', 10), install('first', 30)]
    const user = {
      id: 1,
      identifier: 'anna',
      anonymous: false,
      attributes: {},
      firstActive: 1,
      lastActive: 2,
      createdAt: 1,
      installs,
    }
    const profile = { user, tokens: new Map(), channels: [], purposes: [], suppression: null } as unknown as Profile
    const shown = presentProfile(profile)
    expect(shown.installs.map(({ installId }) => installId)).to.deep.equal(['first', 'second', 'third'])
    expect(shown.known).to.equal(true)
    expect(shown.suppression).to.equal(null)
  })
})
