import { expect } from 'chai'
import type { Recipient } from '../../../../src/domain/crm/types.ts'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { rememberToken } from '../../../../src/domain/notifications/deliver/token-fate.ts'

const RECIPIENT = { row: 7, token: 't', tokenAt: 1000, refusals: 2 } as Recipient

/** Returns what is done to the token; `counted` is how often it was refused then. */
async function fateOf(outcome: Outcome, { doubted = false, counted = 1 } = {}): Promise<string[]> {
  const done: string[] = []
  const store = {
    retireToken: async () => void done.push('retired'),
    countRefusal: async () => {
      done.push('counted')
      return counted
    },
    clearRefusals: async () => void done.push('cleared'),
    rememberEnvironment: async (_app: number, _row: number, _token: string, environment: string) =>
      void done.push(environment),
  }
  await rememberToken(store, 1, RECIPIENT, outcome, doubted)
  return done
}

describe('what becomes of a token', () => {
  const dead: Outcome = { kind: 'token_dead', reason: 'gone' }
  const suspect: Outcome = { kind: 'token_suspect', reason: 'odd' }
  const rows: [string, Promise<string[]>, string[]][] = [
    ['accepted: its refusals are forgotten', fateOf({ kind: 'accepted' }), ['cleared']],
    [
      'accepted with another key: that is remembered',
      fateOf({ kind: 'accepted', environment: 'vapid:0123456789' }),
      ['cleared', 'vapid:0123456789'],
    ],
    ['dead: it is retired', fateOf(dead), ['retired']],
    ['dead before it was registered: it stays', fateOf({ ...dead, since: 999 }), []],
    ['suspect: that is counted', fateOf(suspect), ['counted']],
    ['suspect for the third time: it is retired', fateOf(suspect, { counted: 3 }), ['counted', 'retired']],
    ['dead or suspect among too many: it stays', fateOf(dead, { doubted: true }), []],
    ['suspect among too many: it is not counted', fateOf(suspect, { doubted: true }), []],
    ['dead by itself: it is retired in any case', fateOf({ ...dead, local: true }, { doubted: true }), ['retired']],
    [
      'suspect by itself: it is counted in any case',
      fateOf({ ...suspect, local: true }, { doubted: true }),
      ['counted'],
    ],
    ['throttled: nothing', fateOf({ kind: 'throttled_gateway', reason: 'x', local: true }), []],
  ]
  for (const [name, fate, expected] of rows) it(name, async () => expect(await fate).to.deep.equal(expected))
})
