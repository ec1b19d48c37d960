import type { Body } from '../../../api/client.ts'
import * as row from '../../../forms/rows.ts'
import { isObject, type Values } from '../../../forms/table.ts'
import { nameOfLanguage } from '../../push/personal/languages.ts'

/** The push that announces an in-app message: the rows of its form, and what they lack. Pure. */

type Request = Body<'/admin/v1/apps/{appId}/in-app-messages', 'post'>
type Announcement = NonNullable<Request['notification']>
/** Texts of the push by language tag. */
export type PushLanguages = NonNullable<Announcement['languages']>

const rows = row.table<Request>()
const NONE: PushLanguages = {}

const isPush =
  (...which: string[]) =>
  ({ push }: Values): boolean =>
    which.includes(push as string)

/** Reads the kind of push of a stored request. */
function pushOf({ notification }: Values): string {
  if (!isObject(notification)) return 'none'
  return notification['template'] == null ? 'own' : 'template'
}
const pictureOf = ({ notification }: Values): string => {
  const { ios, android } = (notification ?? {}) as Announcement
  return ios?.media?.pictureUrl ?? android?.pictureUrl ?? ''
}

/** The languages that say something, without texts that are left empty. */
const written = (all: PushLanguages): PushLanguages =>
  Object.fromEntries(
    Object.entries(all).flatMap(([tag, { pictureUrl, ...texts }]) => {
      const isWritten = [texts.title, texts.message, pictureUrl ?? ''].some((text) => text !== '')
      return isWritten ? [[tag, { ...texts, ...(pictureUrl && { pictureUrl }) }]] : []
    }),
  )

/** Row that chooses whether a push announces the message. */
export const PUSH = rows(
  row.radio('push', 'A push tells people of it', {
    path: '',
    also: ['notification'],
    first: 'none',
    look: 'cards',
    options: [
      { value: 'none', label: 'No push', about: 'People find it when they open the app' },
      { value: 'own', label: 'A push of its own', about: 'Written here, in each language' },
      { value: 'template', label: 'A push template', about: 'It says what the template says' },
    ],
    from: (_, request) => pushOf(request),
  }),
)
/** Rows of a push that is written here. */
export const OWN = rows(
  row.where(
    isPush('own'),
    row.text('notification.title', 'Title of the push', { isAsTyped: true, need: 'Give the push a title.' }),
    row.area('notification.message', 'Message of the push', { need: 'Write what the push says.' }),
    row.picture('notification.picture', 'Picture of the push', {
      path: 'notification.ios.media',
      also: ['notification.ios.media.pictureUrl', 'notification.android.pictureUrl'],
      isAsTyped: true,
      isOptional: true,
      to: (url) => (url === '' ? undefined : { pictureUrl: url }),
      from: (_, request) => pictureOf(request),
    }),
  ),
)
/** Row of a push that is taken from a push template. */
export const TEMPLATE = rows(
  row.where(
    isPush('template'),
    row.select('notification.template', 'Push template', { need: 'Choose a push template.' }),
  ),
)
/** The picture of other devices, and the texts of other languages. */
const OTHERS = rows(
  row.where(
    isPush('own'),
    row.own('notification.android', '', {
      path: 'notification.android.pictureUrl',
      empty: 'absent',
      to: (_, values) => values['notification.picture'],
    }),
    row.own('notification.languages', NONE, { empty: 'absent', to: written }),
  ),
)
export const ANNOUNCEMENT = [...PUSH, ...OWN, ...TEMPLATE, ...OTHERS] as const

/** Fields of the form whose texts may hold values. */
export const TEXTS = ['notification.title', 'notification.message', 'notification.picture', 'notification.languages']

export const PLACE = 'notification.languages'
const FIELDS = ['title', 'message', 'pictureUrl']

/** The places at which the interface complains of languages of the push, each the name of its own field. */
export const pushPlaces = (languages: PushLanguages): string[] =>
  Object.keys(languages).flatMap((tag) => [`${PLACE}.${tag}`, ...FIELDS.map((field) => `${PLACE}.${tag}.${field}`)])

/** Sentences about texts of the push that are missing in a language, by their place. */
export function pushProblems({ push, [PLACE]: languages }: { push: string; [PLACE]: PushLanguages }) {
  if (push !== 'own') return {}
  return Object.fromEntries(
    Object.entries(written(languages)).flatMap(([tag, { title, message }]) => [
      ...(title.trim() === '' ? [[`${PLACE}.${tag}.title`, `Give the push a title in ${nameOfLanguage(tag)}.`]] : []),
      ...(message.trim() === ''
        ? [[`${PLACE}.${tag}.message`, `Write what the push says in ${nameOfLanguage(tag)}.`]]
        : []),
    ]),
  ) as Record<string, string>
}
