import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { readInstant } from '../../../platform/time/instants.ts'
import {
  documented,
  flag,
  type Infer,
  integer,
  jsonData,
  jsonObject,
  judged,
  list,
  oneOf,
  parseJson,
  present,
  shape,
  text,
} from '../../../platform/values/parse.ts'
import { confirmField } from '../../apps/schema.ts'
import { messagesTarget } from '../../audience/schema.ts'
import { ORDERS } from '../../audience/sends.ts'
import { namedOnly, type Targeting } from '../../audience/target.ts'
import { consentFields, consentOf } from '../../consent/schema.ts'
import type { ConsentOfSend } from '../../consent/types.ts'
import { labelField, labelsField, labelsOf } from '../../labels/schema.ts'
import { missingTexts, templateField } from '../../personalization/request/push-template.ts'
import type { OccurrenceOf, Recurrence } from '../../schedules/recurrence.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { deliveryTimeOf, judgeDeliveryTime, messagesSchedule } from '../../schedules/schema.ts'
import { MAX_DOCUMENT_BYTES, sizeOf } from '../../templates/render.ts'
import type { TagValues } from '../../templates/types.ts'
import { type Announcing, type Inbox, type PersonalParts, PRESENTED_WHEN, type PresentedWhen } from '../types.ts'
import {
  announcementLanguages,
  announcementLanguagesOf,
  inboxLanguages,
  inboxLanguagesOf,
  judgePersonal,
  personalFields,
  personalPartsOf,
  pictureField,
  subtitleField,
  titleField,
} from './personal.ts'

/** Recipients that a message would have. */
export interface InAppEstimateInput {
  targeting: Targeting
  consent: ConsentOfSend | undefined
  /** The content, to be rendered for a sample of at most so many; absent: it is not known. */
  saying?: { request: InAppRequest; sample: number } | undefined
}

/** A checked request in the product's own terms. */
export interface InAppRequest {
  targeting: Targeting
  template: string
  /** Values of the template's dynamic tags; undefined when the caller gave none. */
  content?: TagValues
  presentedWhen: PresentedWhen
  /** Time to live, counted from the moment a user gets the message. */
  ttlMs?: number
  notification?: Announcing
  data?: Record<string, unknown>
  inbox?: Inbox
  /** The parts that make it differ between users; undefined: all get the same. */
  personal?: PersonalParts
  /** Due time; without it, the message is due at once, or as `recurrence` says. */
  schedule?: Schedule
  /** The rule by which it repeats. Such a request makes a series (src/domain/series), never a message by itself. */
  recurrence?: Recurrence
  /** The series of which it is an occurrence. */
  occurrence?: OccurrenceOf
  /** For so long (ms) nobody gets a message that is due at once, so that it can be taken back. */
  holdMs?: number
  /** Maximum number of users that the caller expects. */
  confirm?: number
  /** The purpose of the message, and whether it overrides restraint; absent: none, and it does not. */
  consent?: ConsentOfSend
  /** Short words by which lists and reports find it, as they are stored. */
  labels?: string[]
}

const HOUR_MS = 3_600_000
const UNIT_MS = { d: 24 * HOUR_MS, h: HOUR_MS } as const
/** Pages of the list are short, because a record holds its whole targeting. */
const MAX_PAGE = 100

const time = () =>
  text({ max: 64 }).test(
    'time',
    'must be a time written as ISO 8601, such as 2026-12-24T18:00:00Z',
    (value) => value == null || value === '' || readInstant(value) !== undefined,
  )

/** The fields of what a message says. */
const sayingFields = {
  content: jsonObject(),
  notification: shape({
    template: templateField(),
    title: text(),
    message: text(),
    ios: shape({ media: shape({ pictureUrl: pictureField() }) }),
    android: shape({ pictureUrl: pictureField() }),
    languages: announcementLanguages(),
  }),
  data: jsonData(),
  inbox: shape({
    title: titleField().defined(),
    subtitle: subtitleField().defined(),
    from: time(),
    to: time(),
    imageUrl: pictureField(),
    languages: inboxLanguages(),
  }),
  ...personalFields,
}

/** The uid of the message's template. */
const messageTemplate = () => text({ max: 255 })

const judgeSaying = (body: Record<string, unknown>): FieldErrors => ({
  ...missingTexts(body.notification, 'notification.'),
  ...judgeInbox(body.inbox),
  ...judgeData(body.data),
  ...judgePersonal(body),
})

/** `POST {messages_url}/v1/in-app-messages`, field by field as in the contract; `data` and `inbox` are extensions. */
export const inAppForm = documented(
  judged(
    shape({
      target: messagesTarget.defined(),
      template: messageTemplate().defined(),
      presentedWhen: oneOf(PRESENTED_WHEN).defined(),
      ttl: documented(
        shape({
          expiresIn: integer({ min: 1, max: 365 }).defined(),
          units: oneOf(['d', 'h']).defined(),
        }),
        { description: 'Required unless presentedWhen is never' },
      ),
      ...sayingFields,
      schedule: messagesSchedule,
      intelligentDelivery: flag(),
      confirm: confirmField(),
      labels: labelsField(),
      ...consentFields,
    }),
    (body) => ({
      ...judgeTtl(body),
      ...judgeDeliveryTime(body),
      ...judgeSaying(body),
    }),
  ),
  { if: { properties: { presentedWhen: { const: 'never' } } }, else: { required: ['ttl'] } },
)

function judgeTtl({ ttl, presentedWhen }: Record<string, unknown>): FieldErrors {
  if (ttl !== undefined || presentedWhen === 'never') return {}
  const why = ['is required unless presentedWhen is never']
  return { ttl: why, 'ttl.expiresIn': why, 'ttl.units': why }
}

function judgeInbox(inbox: unknown): FieldErrors {
  if (!isPlainObject(inbox) || typeof inbox.from !== 'string' || typeof inbox.to !== 'string') return {}
  const [from, to] = [readInstant(inbox.from), readInstant(inbox.to)]
  return from !== undefined && to !== undefined && to <= from ? { 'inbox.to': ['must be later than inbox.from'] } : {}
}

function judgeData(data: unknown): FieldErrors {
  const size = isPlainObject(data) ? sizeOf(data) : 0
  return size > MAX_DOCUMENT_BYTES
    ? { data: [`has ${size} bytes as JSON, ${MAX_DOCUMENT_BYTES} are allowed: devices fetch many messages at once`] }
    : {}
}

/** Names in a request that is taken in together with others. */
const FEW = 100

/** Tells whether a request is taken in quickly and without a lock: it names a few installs and users, who get it at once. */
export function isSmall({ targeting, schedule, recurrence, consent }: InAppRequest): boolean {
  const named = namedOnly(targeting) ?? Infinity
  return schedule === undefined && recurrence === undefined && consent?.purpose == null && named <= FEW
}

/** Converts a checked request to the product's own terms. */
export function fromInAppForm(body: Infer<typeof inAppForm>): InAppRequest {
  const { target, template, presentedWhen, content, ttl, notification, data, inbox } = body
  return {
    targeting: present(target),
    template,
    presentedWhen,
    ...present({
      content,
      ttlMs: ttl && ttl.expiresIn * UNIT_MS[ttl.units],
      notification: notification && announcingOf(notification),
      data,
      inbox: inbox && inboxOf(inbox),
      personal: personalPartsOf(body),
      ...deliveryTimeOf(body),
      confirm: body.confirm,
      consent: consentOf(body),
      labels: labelsOf(body),
    }),
  }
}

type Form = Infer<typeof inAppForm>

function announcingOf({ ios, android, languages, ...texts }: NonNullable<Form['notification']>): Announcing {
  const [forIos, forAndroid] = [ios?.media?.pictureUrl, android?.pictureUrl]
  return {
    ...present(texts),
    ...(forIos !== undefined && { ios: { media: { pictureUrl: forIos } } }),
    ...(forAndroid !== undefined && { android: { pictureUrl: forAndroid } }),
    ...announcementLanguagesOf(languages),
  }
}

function inboxOf({ title, subtitle, from, to, imageUrl, languages }: NonNullable<Form['inbox']>): Inbox {
  const instant = (written: string | undefined) => (written === undefined ? undefined : readInstant(written))
  return {
    title,
    subtitle,
    ...present({ from: instant(from), to: instant(to), imageUrl }),
    ...inboxLanguagesOf(languages),
  }
}

/**
 * Body of an estimate: the recipients of a message that is still being written. What it says is not needed; with a template it is
 * checked as in a send.
 */
export const inAppEstimateForm = judged(
  shape({ target: messagesTarget.defined(), template: messageTemplate(), ...sayingFields, ...consentFields }),
  judgeSaying,
)

/** A checked estimate. Of a message with a template, `sample` recipients are looked at. */
export function fromInAppEstimateForm(body: Infer<typeof inAppEstimateForm>, sample: number): InAppEstimateInput {
  const { target, template, ...rest } = body
  const request =
    template === undefined
      ? undefined
      : fromInAppForm(parseJson(inAppForm, { ...rest, target, template, presentedWhen: 'never' }))
  return {
    targeting: present(target),
    consent: consentOf(body),
    ...(request && { saying: { request, sample } }),
  }
}

/** Test devices of one test. */
const MOST_DEVICES = 10

/** The content of a message, and the test devices to whose users it goes. */
export const testInAppForm = judged(
  shape({
    template: messageTemplate().defined(),
    ...sayingFields,
    devices: list(integer({ min: 1 }).required(), { min: 1, max: MOST_DEVICES }).required(),
  }),
  judgeSaying,
)

/** The message of a checked `testInAppForm` to the users of these installs: for an hour, past their choices of purposes. */
export function fromTestInAppForm(body: Infer<typeof testInAppForm>, installIds: string[]): InAppRequest {
  const { devices: _, ...said } = body
  const ttl = { expiresIn: 1, units: 'h' }
  const whole = { ...said, target: { installIds }, presentedWhen: 'immediately', ttl, priority: 'transactional' }
  return fromInAppForm(parseJson(inAppForm, whole))
}

/** Query of the list: `after` is the `next` of the page before. */
export const listInAppMessages = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: MAX_PAGE }).default(50),
  label: labelField(),
  order: oneOf(ORDERS),
})
