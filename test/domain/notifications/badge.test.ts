import { expect } from 'chai'
import type { PushContent } from '../../../src/domain/gateways/gateway.ts'
import { gateways, platforms } from '../../../src/domain/gateways/registry.ts'
import { FORMS, type Form, parse, small, withAt } from '../../support/notification-forms.ts'

type Type = 'incrementBy' | 'setTo'

/** A small request of the form with a badge. */
function request(form: Form, type: Type, count: number) {
  const badge = form === 'legacy' ? { hasBadge: true, badgeType: type, badgeCount: count } : { badge: { type, count } }
  return withAt(small[form](), 'ios', badge)
}

/** Returns the payload for the platform. */
function payloadOf(platform: (typeof platforms)[number], form: Form, type: Type, count: number) {
  const content: PushContent = { ...parse[form](request(form, type, count)).content, notificationId: 5 }
  return gateways[platform].preview({ content, expiresAt: 1_800_000_000_000, replacementKey: 'n5' }).payload
}

/** Rows: what the caller asks for, `aps.badge`, and `custom.badge_inc` (undefined: not there). */
const CASES: [Type, number, number, number | undefined][] = [
  ['setTo', 0, 0, undefined],
  ['setTo', 7, 7, undefined],
  ['setTo', -3, 0, undefined],
  // Together with `aps.badge` the Swift SDK adds `badge_inc` to what it counted: nothing added would clear nothing.
  ['incrementBy', 0, 0, undefined],
  ['incrementBy', -0, 0, undefined],
  ['incrementBy', 2, 2, 2],
  ['incrementBy', -2, 0, -2],
]

for (const form of FORMS) {
  describe(`a badge in the ${form} form`, () => {
    for (const [type, count, badge, increment] of CASES) {
      it(`of ${type} ${Object.is(count, -0) ? '-0' : count} reaches Apple as ${badge}, to be added ${increment ?? 'nothing'}`, () => {
        const payload = JSON.parse(JSON.stringify(payloadOf('ios', form, type, count))) as {
          aps: { badge: number }
          custom: object
        }
        expect(payload.aps.badge).to.equal(badge)
        if (increment === undefined) expect(payload.custom).not.to.have.property('badge_inc')
        else expect(payload.custom).to.have.property('badge_inc', increment)
      })
    }

    for (const platform of platforms.filter((name) => name !== 'ios')) {
      it(`is nothing on ${platform}, which has none`, () => {
        for (const [type, count] of CASES) {
          expect(JSON.stringify(payloadOf(platform, form, type, count))).not.to.include('badge')
        }
      })
    }
  })
}
