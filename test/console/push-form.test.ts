import { expect } from 'chai'
import { loadPure } from './support/pure.ts'
import { SHOWN_ON_PHONES } from './support/shown-on-phones.ts'

type Draft = Record<string, unknown>

interface Form {
  EMPTY: Draft
  draftOf(request: object): Draft
  pushOf(draft: Draft): object | undefined
  missing(draft: Draft): Record<string, string | undefined>
  timeOf(draft: Draft): object | undefined
  PUSH: readonly object[]
}

const form = await loadPure<Form>('pages/push/draft.ts')
const { EMPTY, PUSH, draftOf, pushOf, missing, timeOf } = form
const { namesOf } = await loadPure<{ namesOf(rows: readonly object[], draft: Draft): Record<string, string> }>(
  'forms/table.ts',
)

const CONTENT = { title: 'Fresh bread', message: 'Out of the oven until six.' }
const everybody: Draft = {
  ...EMPTY,
  who: 'everybody',
  'content.title': CONTENT.title,
  'content.message': CONTENT.message,
}
const said = (draft: Draft) =>
  Object.entries(missing(draft)).flatMap(([field, words]) => (words === undefined ? [] : [field]))

describe('the form of a push', () => {
  /** Requests that the form shows and sends again as they were. */
  const WHOLE: Record<string, object> = {
    'everybody but some': { target: { broadcast: true, excludeInstallIds: ['a', 'b'] }, content: CONTENT },
    users: { target: { userIds: ['anna', 'ben'] }, content: CONTENT },
    installs: { target: { installIds: ['a'] }, content: CONTENT },
    'a segment': { target: { segmentUuid: 's-1', channelUuids: ['news'] }, content: CONTENT },
    geofences: { target: { geofenceIds: [3, 4], geofenceTags: ['city'] }, content: CONTENT },
    'every geofence': { target: { geofenceBroadcast: true }, content: CONTENT },
    'what phones show': {
      target: { broadcast: true },
      content: { ...CONTENT, url: 'https://example.com/a', data: { screen: 'x' } },
      ...SHOWN_ON_PHONES,
      ios: { ...SHOWN_ON_PHONES.ios, sound: { critical: true, name: 'bell.caf', volume: 0 } },
    },
    'how it is sent': {
      target: { broadcast: true },
      content: CONTENT,
      priority: 'transactional',
      rateLimit: 50,
      ttl: 90,
      userMeta: { vienna: { seat: 3 } },
    },
    'without a life': { target: { broadcast: true }, content: CONTENT, ttl: 0 },
  }
  for (const [name, request] of Object.entries(WHOLE)) {
    it(`sends ${name} again as it was`, () => {
      expect(pushOf(draftOf(request))).to.deep.equal(request)
    })
  }

  const UNSHOWN = {
    ios: {
      subtitle: 'S',
      future: 1,
      media: { audioUrl: 'https://example.com/a.mp3' },
      badge: { count: 1, more: true },
    },
    android: { channelId: 'offers', future: { a: [1] }, pictureUrl: 'https://example.com/a.png' },
    content: { ...CONTENT, future: 'x', languages: { de: { title: 'T', message: 'M', future: 2 } } },
    future: [{ deep: null }],
  }
  const stored = { target: { userIds: ['anna'] }, ...UNSHOWN }

  it('keeps what no field shows, and makes nothing of its own of it', () => {
    expect(pushOf(draftOf(stored))).to.deep.equal(stored)
  })

  it('changes one key and keeps the members beside it', () => {
    const draft = { ...draftOf(stored), 'ios.subtitle': 'Other', 'content.title': 'New', 'ios.badge': 4 }
    expect(pushOf(draft)).to.deep.equal({
      ...stored,
      ios: { ...UNSHOWN.ios, subtitle: 'Other', badge: { count: 4, more: true } },
      content: { ...UNSHOWN.content, title: 'New' },
    })
  })

  it('takes away what is emptied and only that', () => {
    const { subtitle: _, ...ios } = UNSHOWN.ios
    const { channelId: __, ...android } = UNSHOWN.android
    const draft = { ...draftOf(stored), 'ios.subtitle': '', 'android.channelId': '', 'content.languages': {} }
    const { languages: ___, ...content } = UNSHOWN.content
    expect(pushOf(draft)).to.deep.equal({ ...stored, ios, android, content })
  })

  it('leaves nothing of the former target or time when somebody chooses another', () => {
    const schedule = { strategy: 'utc', sendAt: '2031-05-01 05:30', pastTimes: 'ignore' }
    const draft = { ...draftOf({ ...stored, schedule, confirm: 7 }), who: 'everybody' }
    expect(pushOf(draft)).to.deep.equal({ ...stored, target: { broadcast: true } })
  })

  it('asks whom it is for when a server sent to several groups at once', () => {
    const draft = draftOf({ target: { userIds: ['anna'], channelUuids: ['news'] }, content: CONTENT })
    expect(draft).to.include({ who: '', 'target.userIds': 'anna' })
    expect(pushOf(draft)).to.equal(undefined)
  })

  it('chooses nobody and no time by itself', () => {
    expect(pushOf(EMPTY)).to.equal(undefined)
    expect(said(EMPTY)).to.deep.equal(['who', 'content.title', 'content.message'])
    expect(said(everybody)).to.deep.equal([])
  })

  const MISSING: [change: Draft, field: string][] = [
    [{ who: 'matching' }, 'target.segmentUuid'],
    [{ who: 'named', 'target.userIds': ' ,\n' }, 'target.userIds'],
    [{ 'content.title': ' ' }, 'content.title'],
    [{ 'content.message': '' }, 'content.message'],
    [{ 'content.data': [1] }, 'content.data'],
    [{ reportingMeta: 'text' }, 'reportingMeta'],
    [{ userMeta: null }, 'userMeta'],
    [{ buttons: [{ id: 'a', text: ' ' }] }, 'buttons'],
    [{ when: 'at' }, 'at'],
    [{ when: 'local' }, 'local'],
  ]
  for (const [change, field] of MISSING) {
    it(`says at ${field} what is missing with ${JSON.stringify(change)}`, () => {
      expect(said({ ...everybody, ...change })).to.deep.equal([field])
    })
  }

  it('lets a push without words wake the app', () => {
    const silent = { ...everybody, 'content.title': '', 'content.message': '', runBackgroundHandler: true }
    expect(said(silent)).to.deep.equal([])
  })

  const TIMES: [change: Draft, body: object | undefined][] = [
    [{ when: 'now' }, {}],
    [{ when: 'intelligent' }, { intelligentDelivery: true }],
    [{ when: 'at', at: null }, undefined],
    [
      { when: 'at', at: '2031-05-01T07:30:00+0200' },
      { schedule: { strategy: 'utc', sendAt: '2031-05-01 05:30', pastTimes: 'ignore' } },
    ],
    [{ when: 'local', local: '' }, undefined],
    [
      { when: 'local', local: '2031-05-01T07:30', pastTimes: 'nextDay' },
      { schedule: { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'nextDay' } },
    ],
  ]
  for (const [change, body] of TIMES) {
    it(`sends ${JSON.stringify(change)} as ${JSON.stringify(body)}`, () => {
      expect(timeOf({ ...everybody, ...change })).to.deep.equal(body)
    })
  }

  it('reads lists by line or comma, without repetitions', () => {
    const draft = { ...everybody, who: 'named', 'target.userIds': 'anna, ben\n\nanna' }
    expect(pushOf(draft)).to.deep.include({ target: { userIds: ['anna', 'ben'] } })
  })

  for (const [unit, seconds] of [
    ['hours', 7200],
    ['minutes', 120],
    ['seconds', 2],
  ] as const) {
    it(`sends a life of 2 ${unit} as ${seconds} seconds`, () => {
      expect(pushOf({ ...everybody, ttl: 2, ttlUnit: unit })).to.include({ ttl: seconds })
    })
  }

  it('shows what the server refuses at the field that holds it', () => {
    expect(namesOf(PUSH, { ...EMPTY, when: 'at' })).to.include({ target: 'who', 'schedule.sendAt': 'at' })
    expect(namesOf(PUSH, { ...EMPTY, when: 'local' })).to.include({
      'schedule.sendAt': 'local',
      'ios.badge.count': 'ios.badge',
    })
  })
})
