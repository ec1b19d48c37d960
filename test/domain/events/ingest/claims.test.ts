import { expect } from 'chai'
import type { Claims } from '../../../../src/domain/crm/signed-ids/service.ts'
import { EVENT_TYPES } from '../../../../src/domain/events/event-types.ts'
import { judgeUsers } from '../../../../src/domain/events/ingest/claims.ts'
import type { DeviceEvent, EventData } from '../../../../src/domain/events/types.ts'

/** Tokens begin with their version; whoever is called `x…` is refused. */
const TOKEN = 'su1.'
const claims: Claims = (given) => {
  if (given.includes('x')) return { refused: `not ${given}` }
  return { identifier: given.startsWith(TOKEN) ? 'anna' : given }
}

const judge = (type: object, data: EventData | null, userIdentifier?: string) =>
  judgeUsers(
    { data, ...(userIdentifier !== undefined && { userIdentifier }) } as unknown as DeviceEvent,
    type,
    'phone-1',
    claims,
  )

const ASSOCIATED = EVENT_TYPES['k.stats.userAssociated']
const CLEARED = EVENT_TYPES['k.stats.userAssociationCleared']

describe('the users that an event names', () => {
  for (const [what, judged, expected] of [
    ['none', judge({}, { id: 'bert' }), { speaker: undefined, hasEffect: true, data: { id: 'bert' } }],
    ['a speaker', judge({}, null, 'bert'), { speaker: 'bert', hasEffect: true, data: null }],
    ['a refused speaker', judge({}, null, 'x1'), { speaker: null, hasEffect: true, data: null, refused: 'not x1' }],
    ['in a field', judge(ASSOCIATED, { id: 'bert' }), { speaker: undefined, hasEffect: true, data: { id: 'bert' } }],
    ['by a number', judge(ASSOCIATED, { id: 7 }), { speaker: undefined, hasEffect: true, data: { id: '7' } }],
    [
      'by what is no name',
      judge(ASSOCIATED, { id: true }),
      { speaker: undefined, hasEffect: true, data: { id: true } },
    ],
    ['in no data', judge(ASSOCIATED, null), { speaker: undefined, hasEffect: true, data: null }],
    [
      'by a token, which is replaced',
      judge(ASSOCIATED, { id: `${TOKEN}a`, more: 1 }),
      { speaker: undefined, hasEffect: true, data: { id: 'anna', more: 1 } },
    ],
    [
      'refused in a field that the event needs',
      judge(ASSOCIATED, { id: 'x2' }),
      { speaker: undefined, hasEffect: false, data: { id: 'x2' }, refused: 'not x2' },
    ],
    [
      'refused by a token, which is not stored',
      judge(ASSOCIATED, { id: `${TOKEN}x`, more: 1 }),
      { speaker: undefined, hasEffect: false, data: { id: null, more: 1 }, refused: `not ${TOKEN}x` },
    ],
    [
      'refused in a field that is only mentioned',
      judge(CLEARED, { oldUserIdentifier: 'x3' }),
      { speaker: undefined, hasEffect: true, data: { oldUserIdentifier: 'x3' }, refused: 'not x3' },
    ],
  ] as const) {
    it(what, () => {
      expect(judged).to.deep.equal(expected)
    })
  }
})
