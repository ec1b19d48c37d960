import { expect } from 'chai'
import {
  type Body,
  FORMS,
  full,
  NESTED,
  on,
  parse,
  schedule,
  small,
  withAt,
  wrong,
  wrongKeys,
} from '../../support/notification-forms.ts'

for (const form of FORMS) {
  const at = form === 'legacy' ? '' : 'target.'
  const texts = form === 'legacy' ? '' : 'content.'

  describe(`the ${form} form of a notification`, () => {
    it('takes a request with every field', () => {
      expect(wrong(form, full[form]())).to.deep.equal({})
    })

    it('takes a request with only what is required', () => {
      expect(wrong(form, small[form]())).to.deep.equal({})
    })

    it('refuses a body that is no object', () => {
      for (const body of [null, [], 'x', 5, true]) expect(wrongKeys(form, body)).to.deep.equal([''])
    })

    it('requires title and message, each named by itself', () => {
      expect(on(form, `${texts}title`, undefined)).to.deep.equal([`${texts}title`])
      expect(on(form, `${texts}message`, undefined)).to.deep.equal([`${texts}message`])
    })

    it('names every wrong key in one answer', () => {
      let body = withAt(small[form](), `${texts}title`, undefined)
      body = withAt(body, `${texts}message`, 5)
      body = withAt(body, `${texts}url`, 'nowhere')
      body = withAt(body, `${at}broadcast`, 'yes')
      body = withAt(body, 'collapseId', '')
      const keys = [`${texts}title`, `${texts}message`, `${texts}url`, `${at}broadcast`, 'collapseId']
      expect(wrongKeys(form, body)).to.deep.equal(keys.sort())
    })

    it('ignores fields it does not know outside of target and schedule', () => {
      for (const key of ['unknown', 'constructor', '__proto__', 'toString']) {
        const extra = JSON.stringify(small[form]()).replace('{', `{"${key}":{"x":1},`)
        expect(wrong(form, JSON.parse(extra))).to.deep.equal({})
      }
      expect(on(form, 'ios.unknown', 1)).to.deep.equal([])
    })

    it('refuses data under a name that the SDK needs, and names it', () => {
      const body = withAt(small[form](), `${texts}data`, { 'k.message': 1, 'k.': 2, k: 3, kk: 4 })
      expect(wrong(form, body)).to.have.all.keys(`${texts}data.k.message`, `${texts}data.k.`)
      expect(wrong(form, body)[`${texts}data.k.`]![0]).to.include('is reserved for the SDK')
    })

    it('refuses a field it does not know inside schedule', () => {
      const body = form === 'legacy' ? { ...small[form](), scheduled: false } : small[form]()
      expect(wrongKeys(form, withAt(body, 'schedule', { ...schedule, sendat: 'x' }))).to.deep.equal(['schedule.sendat'])
    })

    it('lets the texts be empty only for a silent push', () => {
      const flag = form === 'legacy' ? 'isBackground' : 'runBackgroundHandler'
      const empty = withAt(withAt(small[form](), `${texts}title`, ''), `${texts}message`, '')
      const keys = [`${texts}message`, `${texts}title`]
      expect(wrongKeys(form, empty)).to.deep.equal(keys)
      expect(wrongKeys(form, withAt(empty, flag, false))).to.deep.equal(keys)
      expect(wrongKeys(form, withAt(empty, flag, true))).to.deep.equal([])
      expect(wrongKeys(form, withAt(withAt(small[form](), `${texts}title`, undefined), flag, true))).to.deep.equal([
        `${texts}title`,
      ])
    })

    it('takes null as no data', () => {
      const request = parse[form](withAt(small[form](), `${texts}data`, null))
      expect(request.content).not.to.have.property('data')
    })

    it('keeps data as it is, whatever its keys are called', () => {
      const data = { constructor: 1, deep: { null: null, list: [{}] } }
      expect(parse[form](withAt(small[form](), `${texts}data`, data)).content.data).to.deep.equal(data)
    })

    it('accepts a URL of any scheme but javascript', () => {
      for (const url of ['https://a.example/b?c#d', 'myapp://x', 'tel:+4930', 'mailto:a@example.com']) {
        expect(on(form, `${texts}url`, url), url).to.deep.equal([])
      }
    })

    it('refuses metadata for what cannot be a user identifier', () => {
      const key = form === 'push' ? 'target.userMeta' : 'userMeta'
      expect(on(form, key, { ['x'.repeat(256)]: 1 })).to.deep.equal([key])
      expect(on(form, key, { '': 1 })).to.deep.equal([key])
      expect(on(form, key, { ['x'.repeat(255)]: 1 })).to.deep.equal([])
    })

    describe('target', () => {
      const target = (fields: Body) =>
        form === 'legacy' ? { title: 'T', message: 'M', ...fields } : { ...small[form](), target: fields }
      const whole = form === 'legacy' ? '' : 'target'

      it('needs at least one targeting field', () => {
        expect(wrongKeys(form, target({}))).to.deep.equal([whole])
      })

      it('takes false and an empty list as absent', () => {
        const nothing = { broadcast: false, installIds: [], userIds: [], channelUuids: [] }
        expect(wrongKeys(form, target(nothing))).to.deep.equal([whole])
        expect(wrongKeys(form, target({ ...nothing, broadcast: true }))).to.deep.equal([])
        expect(wrongKeys(form, target({ ...nothing, userIds: ['u'] }))).to.deep.equal([])
      })

      it('does not count excludeInstallIds as a target', () => {
        expect(wrongKeys(form, target({ excludeInstallIds: ['a'] }))).to.deep.equal([whole])
      })

      it('takes excludeInstallIds with every group', () => {
        expect(wrongKeys(form, target({ broadcast: true, excludeInstallIds: ['a'] }))).to.deep.equal([])
        expect(wrongKeys(form, target({ installIds: ['b'], userIds: ['u'], excludeInstallIds: ['a'] }))).to.deep.equal(
          [],
        )
      })

      const mixtures: [Body, string[]][] = [
        [{ broadcast: true, installIds: ['a'] }, ['broadcast', 'installs/users']],
        [{ broadcast: true, userIds: ['a'] }, ['broadcast', 'installs/users']],
        [{ broadcast: true, segmentUuid: 's' }, ['broadcast', 'segments/channels']],
        [{ broadcast: true, channelUuids: ['c'] }, ['broadcast', 'segments/channels']],
        [{ installIds: ['a'], segmentUuid: 's' }, ['installs/users', 'segments/channels']],
        [{ userIds: ['a'], channelUuids: ['c'] }, ['installs/users', 'segments/channels']],
      ]
      if (form === 'messages') {
        it('refuses a mixture of groups and names both', () => {
          for (const [fields, groups] of mixtures) {
            const errors = wrong(form, target(fields))
            expect(Object.keys(errors), JSON.stringify(fields)).to.deep.equal([whole])
            for (const group of groups) expect(errors[whole]![0]).to.include(group)
          }
        })
      } else {
        it('takes a mixture of groups as it was given', () => {
          for (const [fields] of mixtures) {
            expect(parse[form](target(fields)).targeting, JSON.stringify(fields)).to.deep.equal(fields)
          }
        })
      }

      it('takes segments and channels together', () => {
        const fields = { segmentUuid: 's', channelUuids: ['c'] }
        expect(parse[form](target(fields)).targeting).to.deep.include(fields)
        expect(wrongKeys(form, { ...target(fields), collapseId: 5 })).to.deep.equal(['collapseId'])
      })

      it('names nineteen of very many wrong ids and counts the others', () => {
        const errors = wrong(form, target({ installIds: Array.from({ length: 300_000 }, () => null) }))
        expect(Object.keys(errors)).to.have.length(20)
        expect(errors[`${at}installIds`]).to.deep.equal(['has 299981 more wrong items'])
      })

      it('keeps the ids as they were given', () => {
        const { targeting } = parse[form](target({ installIds: ['1', 1, 'b'], broadcast: false }))
        expect(targeting.installIds).to.deep.equal(['1', 1, 'b'])
      })
    })

    it('takes a rate limit from one to a million a second', () => {
      for (const rateLimit of [1, 5, 1_000_000]) {
        expect(parse[form]({ ...small[form](), rateLimit }).rateLimit).to.equal(rateLimit)
      }
      for (const rateLimit of [0, 1_000_001, Number.MAX_SAFE_INTEGER]) {
        expect(wrongKeys(form, { ...small[form](), rateLimit })).to.deep.equal(['rateLimit'])
      }
    })
  })
}

for (const form of NESTED) {
  describe(`the ${form} form, nested`, () => {
    it('requires target', () => {
      expect(on(form, 'target', undefined)).to.deep.equal(['target'])
    })

    it('names every missing field when content is absent', () => {
      expect(on(form, 'content', undefined)).to.deep.equal(['content', 'content.message', 'content.title'])
      expect(on(form, 'content', {})).to.deep.equal(['content.message', 'content.title'])
    })

    it('requires both parts of a badge', () => {
      expect(on(form, 'ios', { badge: {} })).to.deep.equal(['ios.badge.count', 'ios.badge.type'])
      expect(on(form, 'ios', { badge: { type: 'setTo' } })).to.deep.equal(['ios.badge.count'])
      expect(on(form, 'ios', { badge: { count: 0 } })).to.deep.equal(['ios.badge.type'])
    })

    it('refuses a field it does not know inside target', () => {
      expect(on(form, 'target.instalIds', ['a'])).to.deep.equal(['target.instalIds'])
      expect(on(form, 'target.__proto__x', 1)).to.deep.equal(['target.__proto__x'])
    })

    it('requires all of sendAt, strategy and pastTimes in a schedule', () => {
      expect(on(form, 'schedule', {})).to.deep.equal(['schedule.pastTimes', 'schedule.sendAt', 'schedule.strategy'])
    })

    it('accepts a valid schedule', () => {
      expect(parse[form]({ ...small[form](), schedule }).schedule).to.deep.equal(schedule)
      expect(parse[form](small[form]())).not.to.have.property('schedule')
    })

    it('takes real dates only', () => {
      for (const sendAt of ['2028-02-29 00:00', '2030-12-31 23:59', '0001-01-01 00:00']) {
        expect(on(form, 'schedule', { ...schedule, sendAt }), sendAt).to.deep.equal([])
      }
    })
  })
}

describe('the messages form of a notification, alone', () => {
  it('is converted to a request in our own terms', () => {
    expect(parse.messages(full.messages())).to.deep.equal({
      targeting: { installIds: ['i1', 2], userIds: ['u1', 7], excludeInstallIds: ['i9'] },
      content: {
        title: 'Hello',
        message: 'World',
        background: true,
        url: 'myapp://open/1',
        data: { a: { b: [1] } },
        collapseId: 'score',
        buttons: [{ id: 'yes', text: 'Yes' }],
        ios: {
          category: 'cat',
          badge: { type: 'incrementBy', count: -2 },
          sound: 'none',
          pictureUrl: 'https://example.com/a.png',
        },
        android: { highPriority: true, sound: 'ding.wav', pictureUrl: 'http://example.com/b.png' },
      },
      userMeta: { u1: { campaign: 'x' } },
      reportingMeta: { ref: 5 },
      ttl: 0,
      contentPath: 'content',
      targetPath: 'target.',
    })
  })

  it('requires id and text of a button', () => {
    expect(on('messages', 'buttons', [{ id: 'a', text: 'b' }, {}])).to.deep.equal(['buttons[1].id', 'buttons[1].text'])
  })

  it('takes at most 200 buttons, and reads no longer list', () => {
    const buttons = (length: number) =>
      on(
        'messages',
        'buttons',
        Array.from({ length }, () => ({ id: 'a', text: 'b' })),
      )
    expect(buttons(200)).to.deep.equal([])
    expect(buttons(201)).to.deep.equal(['buttons'])
    expect(
      on(
        'messages',
        'buttons',
        Array.from({ length: 500_000 }, () => null),
      ),
    ).to.deep.equal(['buttons'])
  })

  it('names nineteen of very many unknown fields of a target and counts the others', () => {
    const fields = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`x${i}`, 1]))
    expect(on('messages', 'target', { broadcast: true, ...fields })).to.have.length(20)
  })

  it('refuses the fields that only the push host has inside target', () => {
    for (const key of ['segmentId', 'channelIds', 'userMeta']) {
      expect(on('messages', `target.${key}`, key === 'userMeta' ? {} : 5)).to.deep.equal([`target.${key}`])
    }
  })

  it('lets segments, channels and geofences be combined', () => {
    const target = {
      segmentUuid: 's',
      channelUuids: ['c'],
      geofenceIds: [1],
      geofenceTags: ['t'],
      geofenceBroadcast: true,
    }
    expect(parse.messages({ ...small.messages(), target }).targeting).to.deep.equal(target)
  })

  it('refuses geofences together with installs, users or broadcast', () => {
    for (const geofence of [{ geofenceIds: [1] }, { geofenceTags: ['t'] }, { geofenceBroadcast: true }]) {
      for (const other of [{ broadcast: true }, { installIds: ['a'] }, { userIds: ['a'] }]) {
        const errors = wrong('messages', { ...small.messages(), target: { ...geofence, ...other } })
        expect(Object.keys(errors)).to.deep.equal(['target'])
        expect(errors.target![0]).to.include('geofences')
      }
    }
    const target = { broadcast: true, geofenceBroadcast: false, geofenceIds: [] }
    expect(wrongKeys('messages', { ...small.messages(), target })).to.deep.equal([])
  })

  it('requires a day for the strategy intelligent and a minute for the others', () => {
    const day = { ...schedule, sendAt: '2030-01-01', strategy: 'intelligent' }
    expect(on('messages', 'schedule', day)).to.deep.equal([])
    expect(on('messages', 'schedule', { ...day, sendAt: '2030-02-30' })).to.deep.equal(['schedule.sendAt'])
    expect(on('messages', 'schedule', { ...day, sendAt: '2030-01-01 10:00' })).to.deep.equal(['schedule.sendAt'])
    expect(on('messages', 'schedule', { ...day, strategy: 'local' })).to.deep.equal(['schedule.sendAt'])
  })

  it('requires a time zone for the strategy timezone', () => {
    const zoned = { ...schedule, strategy: 'timezone' }
    expect(on('messages', 'schedule', zoned)).to.deep.equal(['schedule.timezone'])
    for (const timezone of ['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+2']) {
      expect(on('messages', 'schedule', { ...zoned, timezone }), timezone).to.deep.equal([])
    }
  })

  it('refuses schedule and intelligentDelivery together', () => {
    const both = { ...small.messages(), schedule, intelligentDelivery: true }
    expect(wrongKeys('messages', both)).to.deep.equal(['intelligentDelivery', 'schedule'])
    expect(wrong('messages', both).schedule![0]).to.include('exclude each other')
    expect(wrongKeys('messages', { ...both, intelligentDelivery: false })).to.deep.equal([])
  })

  it('takes intelligent delivery for the next preferred hour', () => {
    const request = (intelligentDelivery: boolean) => parse.messages({ ...small.messages(), intelligentDelivery })
    expect(request(true).schedule).to.deep.equal({ strategy: 'preferredHour' })
    expect(request(false)).not.to.have.property('schedule')
  })

  it('keeps the zone of the strategy timezone only', () => {
    const given = { ...schedule, timezone: 'Europe/Berlin' }
    const request = (strategy: string) => parse.messages({ ...small.messages(), schedule: { ...given, strategy } })
    expect(request('timezone').schedule).to.deep.equal({ ...given, strategy: 'timezone' })
    expect(request('local').schedule).to.deep.equal({ ...schedule, strategy: 'local' })
  })
})

describe('a field with which another form says when it is sent', () => {
  const cases: [string, 'messages' | 'push' | 'legacy', Body, string[]][] = [
    [
      'intelligentDelivery, which the push host does not have',
      'push',
      { intelligentDelivery: true },
      ['intelligentDelivery'],
    ],
    ['intelligentDelivery in the flat form', 'legacy', { intelligentDelivery: 'yes' }, ['intelligentDelivery']],
    ['scheduled without a schedule', 'push', { scheduled: true }, ['schedule']],
    ['scheduled without a schedule on the messages host', 'messages', { scheduled: true }, ['schedule']],
    ['a schedule without scheduled', 'legacy', { schedule }, ['scheduled']],
    ['a time outside of its schedule', 'push', { sendAt: '2030-01-01 10:00' }, ['sendAt']],
    ['a time outside of its schedule in the flat form', 'legacy', { sendAt: '2030-01-01 10:00' }, ['sendAt']],
    ['a time outside of its schedule on the messages host', 'messages', { sendAt: 'now' }, ['sendAt']],
  ]
  for (const [what, form, more, keys] of cases) {
    it(`is refused rather than ignored: ${what}`, () => {
      const errors = wrong(form, { ...small[form](), ...more })
      expect(Object.keys(errors)).to.include.members(keys)
      for (const key of keys) expect(errors[key]![0]).to.match(/schedule|at once/)
    })
  }

  it('may say that nothing waits', () => {
    for (const form of ['push', 'legacy'] as const) {
      expect(wrong(form, { ...small[form](), intelligentDelivery: false, scheduled: false })).to.deep.equal({})
    }
    expect(wrong('messages', { ...small.messages(), scheduled: false })).to.deep.equal({})
    expect(wrong('messages', { ...small.messages(), scheduled: true, schedule })).to.deep.equal({})
  })
})

describe('the push form of a notification, alone', () => {
  it('has the metadata of users inside target and does not show it as targeting', () => {
    const request = parse.push(full.push())
    expect(request.userMeta).to.deep.equal({ u1: { campaign: 'x' } })
    expect(request.targeting).to.deep.equal({ installIds: ['i1', 2], userIds: ['u1', 7], excludeInstallIds: ['i9'] })
  })

  it('ignores what only the messages host has, outside of target', () => {
    expect(parse.push({ ...small.push(), userMeta: 5 })).not.to.have.property('userMeta')
  })

  it('refuses geofence fields inside target', () => {
    for (const key of ['geofenceIds', 'geofenceTags', 'geofenceBroadcast']) {
      expect(on('push', `target.${key}`, [])).to.deep.equal([`target.${key}`])
    }
  })

  it('does not know the field timezone of a schedule', () => {
    expect(on('push', 'schedule', { ...schedule, timezone: 'UTC' })).to.deep.equal(['schedule.timezone'])
  })
})

describe('the push and legacy forms of a notification', () => {
  it('accept ids of segments and channels as well as uuids', () => {
    for (const fields of [{ segmentId: 1 }, { channelIds: [1] }]) {
      expect(parse.push({ ...small.push(), target: fields }).targeting).to.deep.equal(fields)
      expect(parse.legacy({ title: 'T', message: 'M', ...fields }).targeting).to.deep.equal(fields)
    }
  })
})

describe('the legacy form of a notification, alone', () => {
  it('is converted to a request in our own terms', () => {
    expect(parse.legacy(full.legacy())).to.deep.equal({
      targeting: { installIds: ['i1', 2], userIds: ['u1', 7], excludeInstallIds: ['i9'] },
      content: {
        title: 'Hello',
        message: 'World',
        background: true,
        url: 'https://example.com',
        data: { a: 1 },
        collapseId: 'score',
        ios: { badge: { type: 'setTo', count: 3 }, sound: 'none' },
        android: { highPriority: true },
      },
      userMeta: { u1: { campaign: 'x' } },
      reportingMeta: { ref: 5 },
      ttl: 60,
      contentPath: 'message',
      targetPath: '',
    })
  })

  it('takes the earlier flat form', () => {
    const body = {
      installIds: ['a'],
      title: 'T',
      message: 'M',
      data: null,
      isBackground: false,
      url: 'https://example.com',
    }
    expect(parse.legacy(body).content).to.deep.equal({
      title: 'T',
      message: 'M',
      background: false,
      url: 'https://example.com',
      ios: {},
      android: {},
    })
  })

  it('requires type and count of a badge when it has one', () => {
    expect(on('legacy', 'ios', { hasBadge: true })).to.deep.equal(['ios.badgeCount', 'ios.badgeType'])
    expect(on('legacy', 'ios', { hasBadge: true, badgeType: 'setTo' })).to.deep.equal(['ios.badgeCount'])
    expect(on('legacy', 'ios', { hasBadge: false })).to.deep.equal([])
  })

  it('ignores the badge when hasBadge is not true', () => {
    const ios = { badgeType: 'setTo', badgeCount: 3 }
    expect(parse.legacy({ ...small.legacy(), ios }).content.ios).to.deep.equal({})
    expect(parse.legacy({ ...small.legacy(), ios: { ...ios, hasBadge: false } }).content.ios).to.deep.equal({})
  })

  it('requires the schedule when scheduled is true', () => {
    expect(on('legacy', 'scheduled', true)).to.deep.equal([
      'schedule',
      'schedule.pastTimes',
      'schedule.sendAt',
      'schedule.strategy',
    ])
    const keys = ['schedule.pastTimes', 'schedule.sendAt', 'schedule.strategy']
    expect(wrongKeys('legacy', { ...small.legacy(), scheduled: true, schedule: {} })).to.deep.equal(keys)
  })

  it('says what a rule lacks, and where a send that repeats goes', () => {
    const rule = { cron: '0 9 * * MON', timezone: 'UTC' }
    const { 'schedule.cron': lacks } = wrong('messages', { ...small.messages(), schedule: rule })
    expect(lacks).to.deep.equal(['is for a send that repeats: give "strategy": "recurring"'])
    for (const form of ['push', 'legacy'] as const) {
      const body = { ...small[form](), scheduled: true, schedule: { ...rule, strategy: 'recurring' } }
      expect(wrong(form, body)['schedule.strategy']?.[0]).to.include('POST {messages_url}/v2/notifications')
    }
  })

  it('takes a schedule with scheduled true, ignores one with scheduled false, and refuses one without it', () => {
    const scheduleOf = (body: object) => parse.legacy({ ...small.legacy(), ...body }).schedule
    expect(scheduleOf({ scheduled: true, schedule })).to.deep.equal(schedule)
    expect(scheduleOf({ scheduled: false, schedule: {} })).to.equal(undefined)
    expect(wrong('legacy', { ...small.legacy(), schedule }).scheduled?.[0]).to.include('true sends at the time')
  })
})
