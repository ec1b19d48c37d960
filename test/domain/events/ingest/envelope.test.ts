import { expect } from 'chai'
import { MAX_BATCH, readBatch, readEvent } from '../../../../src/domain/events/ingest/envelope.ts'
import { type AppError, isAppError } from '../../../../src/platform/errors.ts'

const GOOD = {
  type: 'k.fg',
  uuid: '2b0f6a3e-0000-4000-8000-000000000001',
  timestamp: 1_700_000_000_000,
  data: { a: 1 },
  userId: 'anna',
}

function errorOf(work: () => unknown): AppError {
  try {
    work()
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('an event envelope', () => {
  it('is read as it is', () => {
    expect(readEvent(GOOD)).to.deep.equal({
      event: { type: 'k.fg', uuid: GOOD.uuid, at: 1_700_000_000_000, data: { a: 1 }, userIdentifier: 'anna' },
    })
  })

  const lenient: [string, object, object][] = [
    ['no data', { ...GOOD, data: undefined }, { data: null }],
    ['data null', { ...GOOD, data: null }, { data: null }],
    ['no user', { ...GOOD, userId: undefined }, { userIdentifier: undefined }],
    ['user null', { ...GOOD, userId: null }, { userIdentifier: undefined }],
    ['an empty user', { ...GOOD, userId: '' }, { userIdentifier: undefined }],
    ['a number as user', { ...GOOD, userId: 42 }, { userIdentifier: '42' }],
    ['a timestamp as text', { ...GOOD, timestamp: '1700000000000' }, { at: 1_700_000_000_000 }],
    ['a timestamp with a fraction', { ...GOOD, timestamp: 1700000000000.75 }, { at: 1_700_000_000_000 }],
    ['the epoch as timestamp', { ...GOOD, timestamp: 0 }, { at: 0 }],
    ['fields of its own', { ...GOOD, colour: 'red' }, { type: 'k.fg' }],
    ['a type of the app', { ...GOOD, type: 'Bought üñí 😀' }, { type: 'Bought üñí 😀' }],
    ['a type called like a prototype', { ...GOOD, type: '__proto__' }, { type: '__proto__' }],
  ]
  for (const [what, value, expected] of lenient) {
    it(`with ${what} is taken`, () => {
      const read = readEvent(value)
      expect(read).to.have.property('event').that.includes(expected)
    })
  }

  const wrong: [string, unknown, string[]][] = [
    ['null', null, ['']],
    ['text', 'event', ['']],
    ['an array', [], ['']],
    ['nothing in it', {}, ['type', 'uuid', 'timestamp']],
    ['an empty type', { ...GOOD, type: '' }, ['type']],
    ['a number as type', { ...GOOD, type: 5 }, ['type']],
    ['a type with NUL', { ...GOOD, type: 'a\0b' }, ['type']],
    ['half a character in the type', { ...GOOD, type: '\ud83d' }, ['type']],
    ['a type of 256 characters', { ...GOOD, type: 'x'.repeat(256) }, ['type']],
    ['a uuid that is no text', { ...GOOD, uuid: {} }, ['uuid']],
    ['a uuid with NUL', { ...GOOD, uuid: '\0' }, ['uuid']],
    ['a timestamp before 1970', { ...GOOD, timestamp: -1 }, ['timestamp']],
    ['a timestamp beyond all dates', { ...GOOD, timestamp: 9e15 }, ['timestamp']],
    ['a timestamp that is a date', { ...GOOD, timestamp: '2026-01-01' }, ['timestamp']],
    ['data that is a list', { ...GOOD, data: [] }, ['data']],
    ['data that is text', { ...GOOD, data: '{}' }, ['data']],
    ['a user with NUL', { ...GOOD, userId: 'a\0' }, ['userId']],
    ['a user that is an object', { ...GOOD, userId: {} }, ['userId']],
  ]
  for (const [what, value, keys] of wrong) {
    it(`that is or has ${what} is refused, naming [${keys.join(', ')}]`, () => {
      const read = readEvent(value)
      expect('errors' in read && Object.keys(read.errors)).to.deep.equal(keys)
    })
  }
})

describe('a batch', () => {
  it('keeps the good events with their places and names the others', () => {
    const { events, refused } = readBatch([GOOD, null, { ...GOOD, uuid: undefined }, { ...GOOD, uuid: 'b' }])
    expect(events.map(({ index, event }) => [index, event.uuid])).to.deep.equal([
      [0, GOOD.uuid],
      [3, 'b'],
    ])
    expect(refused).to.deep.equal([
      { index: 1, errors: { '': ['must be an object'] } },
      { index: 2, errors: { uuid: ['is required'] } },
    ])
  })

  it('may be empty', () => {
    expect(readBatch([])).to.deep.equal({ events: [], refused: [] })
  })

  for (const body of [null, {}, 'x', 5, undefined]) {
    it(`must be an array, not ${JSON.stringify(body)}`, () => {
      const error = errorOf(() => readBatch(body))
      expect([error.code, Object.keys(error.details.fields!)]).to.deep.equal(['invalid', ['']])
    })
  }

  it('has a largest size', () => {
    expect(readBatch(Array.from({ length: MAX_BATCH }, () => null)).refused).to.have.length(MAX_BATCH)
    expect(errorOf(() => readBatch(Array.from({ length: MAX_BATCH + 1 }, () => null))).code).to.equal('too_large')
  })
})
