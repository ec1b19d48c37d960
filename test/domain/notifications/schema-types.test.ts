import { expect } from 'chai'
import {
  type Body,
  FORMS,
  type Form,
  full,
  schedule,
  small,
  withAt,
  wrongKeys,
} from '../../support/notification-forms.ts'

/** Values that no field of a type may have. */
const NOT: Record<string, unknown[]> = {
  string: [null, 5, 0, true, [], ['x'], {}],
  text: [null, 5, true, [], {}, '', 'a\0b', '\ud800'],
  integer: [null, '5', 1.5, true, [], {}, 2 ** 53],
  boolean: [null, 'true', 1, 0, [], {}],
  object: [null, 'x', 5, true, []],
  dataObject: ['x', 5, true, []],
  list: [null, 'x', 5, true, {}],
  id: [null, true, 1.5, '', [], {}, 'x'.repeat(256), 'a\0b', 2 ** 53],
  url: [null, 5, true, [], {}, '', 'example.com', '//example.com/path', 'path', 'javascript:alert(1)'],
  picture: [null, 5, true, [], {}, '', 'a.png', 'ftp://example.com/a.png', 'myapp://a', 'data:image/png;base64,AA'],
  badgeType: [null, 5, true, [], {}, '', 'add', 'SETTO'],
  ttl: [null, '5', 1.5, true, [], {}, -1, 2_419_201],
  rate: [null, '5', 1.5, true, [], {}, 0, -1],
  zone: [null, 5, true, [], {}, '', 'Mars/Base', '+02:00', 'Europe/'],
  sound: [null, 5, true, [], '', 'a\0b', '\ud800'],
  share: [null, '0.5', true, [], {}, -0.1, 1.1],
  level: [null, 5, true, [], {}, '', 'urgent', 'Active', 'timeSensitive'],
  priority: [null, '5', true, [], {}, 0, 2, 5.5],
  importance: [null, 5, true, [], {}, '', 'low', 'HIGH'],
  iconType: [null, 5, true, [], {}, '', 'emoji', 'System'],
  past: [null, 5, true, [], {}, '', 'never', 'NextDay'],
  pushStrategy: [null, 5, true, [], {}, '', 'timezone', 'intelligent', 'LOCAL'],
  strategy: [null, 5, true, [], {}, '', 'now', 'LOCAL'],
  minute: [
    null,
    5,
    true,
    [],
    {},
    '',
    '2030-02-30 10:00',
    '2030-01-01',
    '2030-01-01T10:00',
    '2030-01-01 24:00',
    '2030-1-1 10:00',
    '2030-01-01 10:60',
    '2030-01-01 10:00:00',
    '2030-13-01 10:00',
    ' 2030-01-01 10:00',
    '2029-02-29 10:00',
    '2030-00-10 10:00',
  ],
}

const commonTarget = (at: string): [string, string][] => [
  [`${at}broadcast`, 'boolean'],
  [`${at}installIds`, 'list'],
  [`${at}installIds[0]`, 'id'],
  [`${at}installIds[3]`, 'id'],
  [`${at}userIds`, 'list'],
  [`${at}userIds[1]`, 'id'],
  [`${at}excludeInstallIds`, 'list'],
  [`${at}excludeInstallIds[0]`, 'id'],
]
const groupTarget = (at: string): [string, string][] => [
  [`${at}segmentUuid`, 'text'],
  [`${at}channelUuids`, 'list'],
  [`${at}channelUuids[0]`, 'text'],
]
const numberedTarget = (at: string): [string, string][] => [
  [`${at}segmentId`, 'integer'],
  [`${at}channelIds`, 'list'],
  [`${at}channelIds[0]`, 'integer'],
]
const nested: [string, string][] = [
  ['target', 'object'],
  ['content', 'object'],
  ['content.title', 'string'],
  ['content.message', 'string'],
  ['content.url', 'url'],
  ['content.data', 'dataObject'],
  ['collapseId', 'text'],
  ['runBackgroundHandler', 'boolean'],
  ['ios', 'object'],
  ['ios.category', 'text'],
  ['ios.badge', 'object'],
  ['ios.badge.type', 'badgeType'],
  ['ios.badge.count', 'integer'],
  ['android', 'object'],
  ['android.highPriority', 'boolean'],
  ['reportingMeta', 'object'],
  ['ttl', 'ttl'],
  ['rateLimit', 'rate'],
  ['schedule', 'object'],
  ['schedule.sendAt', 'minute'],
  ['schedule.pastTimes', 'past'],
]

/** Fields about how a push looks and sounds: the same in every form. */
const presentation: [string, string][] = [
  ['ios.category', 'text'],
  ['ios.sound', 'sound'],
  ['ios.sound.name', 'text'],
  ['ios.sound.critical', 'boolean'],
  ['ios.sound.volume', 'share'],
  ['ios.media', 'object'],
  ['ios.media.pictureUrl', 'picture'],
  ['ios.subtitle', 'text'],
  ['ios.threadId', 'text'],
  ['ios.interruptionLevel', 'level'],
  ['ios.relevanceScore', 'share'],
  ['ios.targetContentId', 'text'],
  ['ios.priority', 'priority'],
  ['android.sound', 'text'],
  ['android.pictureUrl', 'picture'],
  ['android.channelId', 'text'],
  ['android.importance', 'importance'],
  ['buttons', 'list'],
  ['buttons[0]', 'object'],
  ['buttons[0].id', 'text'],
  ['buttons[0].text', 'text'],
  ['buttons[0].icon', 'object'],
  ['buttons[0].icon.type', 'iconType'],
  ['buttons[0].icon.id', 'text'],
]

/** Every field of each form, and its type. */
const FIELDS: Record<Form, [string, string][]> = {
  messages: [
    ...commonTarget('target.'),
    ...groupTarget('target.'),
    ['target.geofenceIds', 'list'],
    ['target.geofenceIds[0]', 'integer'],
    ['target.geofenceTags', 'list'],
    ['target.geofenceTags[0]', 'text'],
    ['target.geofenceBroadcast', 'boolean'],
    ...nested,
    ...presentation,
    ['userMeta', 'object'],
    ['schedule.strategy', 'strategy'],
    ['schedule.timezone', 'zone'],
    ['intelligentDelivery', 'boolean'],
  ],
  push: [
    ...commonTarget('target.'),
    ...groupTarget('target.'),
    ...numberedTarget('target.'),
    ['target.userMeta', 'object'],
    ...nested,
    ...presentation,
    ['schedule.strategy', 'pushStrategy'],
  ],
  legacy: [
    ...commonTarget(''),
    ...groupTarget(''),
    ...numberedTarget(''),
    ['userMeta', 'object'],
    ['title', 'string'],
    ['message', 'string'],
    ['isBackground', 'boolean'],
    ['url', 'url'],
    ['data', 'dataObject'],
    ['ios', 'object'],
    ['ios.hasBadge', 'boolean'],
    ['ios.badgeType', 'badgeType'],
    ['ios.badgeCount', 'integer'],
    ['android', 'object'],
    ['android.highPriority', 'boolean'],
    ...presentation,
    ['scheduled', 'boolean'],
    ['schedule', 'object'],
    ['schedule.sendAt', 'minute'],
    ['schedule.strategy', 'pushStrategy'],
    ['schedule.pastTimes', 'past'],
    ['collapseId', 'text'],
    ['soundConfig', 'object'],
    ['soundConfig.iosSound', 'text'],
    ['reportingMeta', 'object'],
    ['ttl', 'ttl'],
    ['rateLimit', 'rate'],
  ],
}

/** A right request in which only the value at `path` can be wrong: with the neighbours that it needs, without those it must not meet. */
function baseFor(form: Form, path: string): Body {
  const at = form === 'legacy' ? '' : 'target.'
  const nobody = withAt(small[form](), `${at}broadcast`, undefined)
  if (/installIds|userIds/.test(path))
    return withAt(withAt(nobody, `${at}installIds`, ['a', 'b', 'c']), `${at}userIds`, ['u'])
  if (/^(target\.)?(segment|channel|geofence)/.test(path)) return nobody
  if (path === 'ios.sound.volume' || path === 'ios.sound.name')
    return withAt(small[form](), 'ios.sound', { critical: true })
  if (path === 'ios.sound.critical') return withAt(small[form](), 'ios.sound', { name: 'bell.caf' })
  if (path.startsWith('buttons[0].icon.')) {
    return withAt(small[form](), 'buttons', [{ id: 'a', text: 'b', icon: { type: 'system', id: 'cart' } }])
  }
  if (path.startsWith('schedule.') && form === 'legacy') {
    return withAt(withAt(small[form](), 'scheduled', false), 'schedule', schedule)
  }
  if (path.startsWith('schedule.')) return withAt(small[form](), 'schedule', schedule)
  if (path.startsWith('ios.badge')) return withAt(small[form](), 'ios', full[form]().ios)
  if (path.startsWith('buttons[0].')) return withAt(small[form](), 'buttons', [{ id: 'a', text: 'b' }])
  return small[form]()
}

for (const form of FORMS) {
  describe(`a value of another type in the ${form} form is refused by naming its field, and only that`, () => {
    for (const [path, type] of FIELDS[form]) {
      it(`${path} (${type})`, () => {
        const base = baseFor(form, path)
        for (const value of NOT[type]!) {
          // Null says that a field is absent; an item of a list cannot be.
          if (value === null && !path.endsWith(']')) {
            const absent = wrongKeys(form, withAt(base, path, undefined))
            expect(wrongKeys(form, withAt(base, path, null)), 'null').to.deep.equal(absent)
            continue
          }
          expect(wrongKeys(form, withAt(base, path, value)), JSON.stringify(value)).to.deep.equal([path])
        }
      })
    }
  })
}
