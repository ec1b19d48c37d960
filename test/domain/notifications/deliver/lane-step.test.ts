import { expect } from 'chai'
import {
  type LaneState,
  mostToBegin,
  mostToClaim,
  nextStep,
  type Step,
  type Supplies,
} from '../../../../src/domain/notifications/deliver/lane-step.ts'
import type { Most } from '../../../../src/platform/queue/queue.ts'

/** In the middle of a page: a chunk is in flight, and the next one could be begun. */
const BUSY: LaneState = {
  pages: 1,
  left: 500,
  inFlight: 100,
  unrecorded: 0,
  chunk: 100,
  credential: 'settled',
  supply: 'unknown',
  since: 'event',
}

const STEPS: readonly [name: string, changes: Partial<LaneState>, step: Step][] = [
  ['ends without a page', { pages: 0, left: 0, inFlight: 0 }, 'end'],
  ['ends without a page although more are due', { pages: 0, left: 0, inFlight: 0, supply: 'due' }, 'end'],
  ['waits while its only page is being read', { left: 0, inFlight: 0 }, 'wait'],
  ['begins when nothing is in flight', { inFlight: 0 }, 'turn'],
  ['begins as soon as a whole chunk fits', {}, 'turn'],
  ['waits while less than a chunk fits', { inFlight: 101 }, 'wait'],
  ['begins less than a chunk when it is time', { inFlight: 101, since: 'time' }, 'turn'],
  ['waits for answers when everybody is begun', { left: 0 }, 'wait'],
  ['waits when it is time and there is nothing to record', { left: 0, since: 'time' }, 'wait'],
  ['records a whole chunk', { left: 0, unrecorded: 100 }, 'turn'],
  ['waits for a whole chunk', { left: 0, unrecorded: 99 }, 'wait'],
  ['records less than a chunk when it is time', { left: 0, unrecorded: 1, since: 'time' }, 'turn'],
  ['records the last answers', { left: 0, inFlight: 0, unrecorded: 1 }, 'turn'],
  ['waits for all answers while the credential is in question', { credential: 'in question', unrecorded: 1 }, 'wait'],
  ['waits for them also when it is time', { credential: 'in question', unrecorded: 1, since: 'time' }, 'wait'],
  ['records them when all are in', { credential: 'in question', unrecorded: 1, inFlight: 0 }, 'turn'],
  ['records a chunk of them', { credential: 'in question', unrecorded: 100 }, 'turn'],
  ['begins with a credential in question while nothing has been answered', { credential: 'in question' }, 'turn'],
  ['waits after a turn that found nothing to do', { since: 'idle turn' }, 'wait'],
  ['claims pages that are due after such a turn', { since: 'idle turn', supply: 'due' }, 'claim'],
  ['claims pages that are due while its requests are slow', { inFlight: 200, supply: 'due' }, 'claim'],
  ['prefers a turn, which claims too', { supply: 'due' }, 'turn'],
]

describe('what a lane does next', () => {
  for (const [name, changes, step] of STEPS) {
    it(name, () => {
      expect(nextStep({ ...BUSY, ...changes })).to.equal(step)
    })
  }

  it('begins at most a chunk, and has at most two in flight', () => {
    const free = [0, 50, 100, 150, 200].map((inFlight) => mostToBegin({ inFlight, chunk: 100 }))
    expect(free).to.eql([100, 100, 100, 50, 0])
  })
})

const NEARLY_DONE: Supplies = { pages: 1, recipients: 1000, maxRecipients: 12_000, left: 100, chunk: 400 }

const CLAIMS: readonly [name: string, changes: Partial<Supplies>, most: Most | undefined][] = [
  ['claims what it is about to need', {}, { units: 250, weight: 700 }],
  ['claims nothing while two chunks are left', { left: 800 }, undefined],
  ['claims no more recipients than it may hold', { recipients: 11_700 }, { units: 250, weight: 300 }],
  ['claims nothing when it holds as many as it may', { recipients: 12_000 }, undefined],
  ['claims no more pages than it may hold', { pages: 900, recipients: 900 }, { units: 100, weight: 700 }],
  ['claims nothing when it holds as many pages as it may', { pages: 1000, recipients: 1000 }, undefined],
  ['claims two chunks when it has none', { pages: 0, recipients: 0, left: 0 }, { units: 250, weight: 800 }],
]

describe('how much a lane claims', () => {
  for (const [name, changes, most] of CLAIMS) {
    it(name, () => {
      expect(mostToClaim({ ...NEARLY_DONE, ...changes })).to.deep.equal(most)
    })
  }
})
