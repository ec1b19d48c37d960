import { isPlainObject } from '../../../platform/json/json.ts'
import { present } from '../../../platform/values/parse.ts'
import type { NotificationRequest, PushTemplateBody, Unfinished } from './request.ts'

/** A send that names a push template: its content lies under what the send says itself. */

type Body = Record<string, unknown>

/**
 * The means by which a request becomes whole; undefined when it names no push template. `merge` puts the template under the body, `read`
 * checks the whole body and converts it.
 */
export function unfinished(
  uid: string | undefined,
  path: string,
  { merge, read }: { merge: (template: PushTemplateBody) => Body; read: (body: Body) => NotificationRequest },
): Unfinished | undefined {
  if (uid === undefined) return undefined
  return { uid, path, bodyWith: merge, finish: (template) => read(merge(template)) }
}

/** A nested body with the template under it: within `content`, `ios` and `android` a key of the body wins, `buttons` as a whole. */
export function nestedWith(template: PushTemplateBody, body: Body): Body {
  const { content, ios, android, ...others } = body
  const { template: _, ...own } = content as Body
  return present({
    ...template,
    ...others,
    content: { ...template.content, ...own },
    ios: joined(template.ios, ios),
    android: joined(template.android, android),
  })
}

/** A flat body with the template under it, whose badge and sound it may say in its own way. */
export function flatWith(template: PushTemplateBody, body: Body): Body {
  const { template: _, ios, android, ...own } = body
  const { content, ios: theirs, ...parts } = template
  return present({
    ...parts,
    ...content,
    ...own,
    ios: joined(theirs && flatIos(theirs, own.soundConfig), ios),
    android: joined(template.android, android),
  })
}

function flatIos({ badge, sound, ...ios }: Body, soundConfig: unknown): Body {
  const hasSound = isPlainObject(soundConfig) && soundConfig.iosSound !== undefined
  return {
    ...ios,
    ...(sound !== undefined && !hasSound && { sound }),
    ...(isPlainObject(badge) && { hasBadge: true, badgeType: badge.type, badgeCount: badge.count }),
  }
}

function joined(under: Body | undefined, over: unknown): Body | undefined {
  return isPlainObject(over) ? { ...under, ...over } : under
}
