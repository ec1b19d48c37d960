import {
  fromLegacyForm,
  fromMessagesForm,
  fromPushForm,
  legacyForm,
  messagesForm,
  pushForm,
} from '../../src/domain/notifications/schema.ts'
import { AppError, type FieldErrors } from '../../src/platform/errors.ts'
import { parseJson } from '../../src/platform/values/parse.ts'

export type Body = Record<string, unknown>

export const parse = {
  messages: (body: unknown) => fromMessagesForm(parseJson(messagesForm, body)),
  push: (body: unknown) => fromPushForm(parseJson(pushForm, body)),
  legacy: (body: unknown) => fromLegacyForm(parseJson(legacyForm, body)),
}
export type Form = keyof typeof parse
export const NESTED = ['messages', 'push'] as const
export const FORMS = ['messages', 'push', 'legacy'] as const

/** A request with every field of the form that this version takes, all right. */
export const full: Record<Form, () => Body> = {
  messages: () => ({
    target: { installIds: ['i1', 2], userIds: ['u1', 7], excludeInstallIds: ['i9'] },
    content: { title: 'Hello', message: 'World', url: 'myapp://open/1', data: { a: { b: [1] } } },
    collapseId: 'score',
    runBackgroundHandler: true,
    ios: {
      category: 'cat',
      badge: { type: 'incrementBy', count: -2 },
      sound: 'none',
      media: { pictureUrl: 'https://example.com/a.png' },
    },
    android: { highPriority: true, sound: 'ding.wav', pictureUrl: 'http://example.com/b.png' },
    userMeta: { u1: { campaign: 'x' } },
    reportingMeta: { ref: 5 },
    buttons: [{ id: 'yes', text: 'Yes' }],
    ttl: 0,
  }),
  push: () => ({
    target: {
      installIds: ['i1', 2],
      userIds: ['u1', 7],
      excludeInstallIds: ['i9'],
      userMeta: { u1: { campaign: 'x' } },
    },
    content: { title: 'Hello', message: 'World', url: 'https://example.com', data: { a: 1 } },
    collapseId: 'score',
    runBackgroundHandler: false,
    ios: { category: 'cat', badge: { type: 'setTo', count: 0 }, sound: 'ding.caf' },
    android: { highPriority: false, sound: 'ding.wav' },
    reportingMeta: { ref: 5 },
    ttl: 2_419_200,
  }),
  legacy: () => ({
    installIds: ['i1', 2],
    userIds: ['u1', 7],
    excludeInstallIds: ['i9'],
    userMeta: { u1: { campaign: 'x' } },
    title: 'Hello',
    message: 'World',
    isBackground: true,
    url: 'https://example.com',
    data: { a: 1 },
    ios: { hasBadge: true, badgeType: 'setTo', badgeCount: 3 },
    android: { highPriority: true },
    scheduled: false,
    collapseId: 'score',
    soundConfig: { iosSound: 'none' },
    reportingMeta: { ref: 5 },
    ttl: 60,
  }),
}

export const small: Record<Form, () => Body> = {
  messages: () => ({ target: { broadcast: true }, content: { title: 'T', message: 'M' } }),
  push: () => ({ target: { broadcast: true }, content: { title: 'T', message: 'M' } }),
  legacy: () => ({ broadcast: true, title: 'T', message: 'M' }),
}

/** The wrong keys that a request is refused with; empty when it is taken. */
export function wrong(form: Form, body: unknown): FieldErrors {
  try {
    parse[form](body)
    return {}
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid') return error.details.fields ?? {}
    throw error
  }
}

export const wrongKeys = (form: Form, body: unknown) => Object.keys(wrong(form, body)).sort()

/** A copy of `body` with `value` at a dotted path; missing objects and arrays on the way are made. */
export function withAt(body: Body, path: string, value: unknown): Body {
  const copy = structuredClone(body)
  const steps = path.split(/\.|(?=\[)/).map((step) => (step.startsWith('[') ? Number(step.slice(1, -1)) : step))
  let at = copy as Record<string | number, unknown>
  steps.slice(0, -1).forEach((step, i) => {
    at[step] ??= typeof steps[i + 1] === 'number' ? [] : {}
    at = at[step] as typeof at
  })
  if (value === undefined) delete at[steps.at(-1)!]
  else at[steps.at(-1)!] = value
  return copy
}

/** A right schedule of every form. */
export const schedule = { sendAt: '2030-01-01 10:00', strategy: 'utc', pastTimes: 'ignore' }

/** The wrong keys of a small request with one more value. */
export const on = (form: Form, path: string, value: unknown) => wrongKeys(form, withAt(small[form](), path, value))
