import { parseJson, present } from '../../../platform/values/parse.ts'
import type { AnnouncedText } from '../../in-app/fan-out/linked-push.ts'
import type { Announcement } from '../../in-app/types.ts'
import { fromSayingForm, sayingForm } from '../request/draft.ts'
import type { NotificationRequest } from '../request/request.ts'
import type { StoredContent, Variant } from '../types.ts'

/** The content of a push that announces an in-app message, made of what its message says. Pure. */

/** The key of a linked push in the request of its message. */
const PATH = 'notification'

/** A path in the form of a push, as the request of a message names the same. */
export function messagePath(path: string): string {
  if (path === 'personalize' || path === 'lookup' || path.startsWith('lookup.')) return path
  return path === 'content' ? PATH : `${PATH}.${path.replace(/^content\./, '')}`
}

/** The content of a push whose texts all stand in the message. */
export function contentOf({ announcing, personal }: AnnouncedText): StoredContent {
  const { title = '', message = '', ios, android, languages } = announcing
  const [forIos, forAndroid] = [ios?.media?.pictureUrl, android?.pictureUrl]
  const { personalize, lookup } = personal
  return {
    title,
    message,
    background: false,
    ios: forIos === undefined ? {} : { pictureUrl: forIos },
    android: forAndroid === undefined ? {} : { pictureUrl: forAndroid },
    ...(languages && { languages }),
    ...(personalize && { personalize }),
    ...(personalize && lookup && { lookup }),
  }
}

/** The request of a push that names a push template. Throws `invalid`, with the paths of a push. */
export function requestOf({ announcing, personal }: AnnouncedText): NotificationRequest {
  const { template, title, message, ios, android, languages } = announcing
  const { personalize, lookup } = personal
  const content = present({ template, title, message, languages })
  const body = present({ content, ios, android, personalize, lookup: personalize && lookup })
  return fromSayingForm(parseJson(sayingForm, body))
}

/** The push as the record of its message shows it. */
export function announcementOf({ title, message, ios, android, languages, template }: StoredContent): Announcement {
  return {
    title,
    message,
    ...(ios.pictureUrl !== undefined && { ios: { media: { pictureUrl: ios.pictureUrl } } }),
    ...(android.pictureUrl !== undefined && { android: { pictureUrl: android.pictureUrl } }),
    ...(languages && {
      languages: Object.fromEntries(Object.entries(languages).map(([tag, one]) => [tag, textsOf(one)])),
    }),
    ...(template && { template }),
  }
}

const textsOf = ({ title, message, pictureUrl }: Variant) => ({ title, message, ...present({ pictureUrl }) })
