import { fieldNames, parseJson } from '../../../platform/values/parse.ts'
import {
  changesTime,
  type Edit,
  editedBody,
  hasMoreThanTime,
  isIn,
  refuseSeries,
  timeOf,
} from '../../schedules/edit.ts'
import { sendMessageAgain } from '../request/again.ts'
import { misplacedKeys } from '../request/personal.ts'
import { fromInAppForm, type InAppRequest, inAppForm } from '../request/request.ts'
import type { InAppMessage } from '../types.ts'

const FORM = { keys: fieldNames(inAppForm), what: 'an in-app message', misplaced: misplacedKeys }
/** The keys by which the document of a message is made of its template. */
const RENDERED = ['template', 'content', 'personalize', 'lookup', 'languages']

/** Tells whether an edit changes what a message says or to whom it goes. Pure. */
export const changesMoreThanTime = (edit: Edit): boolean => hasMoreThanTime(edit, ['presentedWhen'])

/** Tells whether an edit leaves alone when each person gets the message, and who these are. Pure. */
export const keepsPlan = (edit: Edit): boolean => !changesTime(edit) && !isIn(edit, ['target'])

/** The remedy for people in an app in which a second person approves pushes. */
export const WITHOUT_PUSH =
  'its time can be changed; to change more, take its push out of it (notification is null), or withdraw it'

/**
 * Tells whether an edit changes a push, whatever of it: that of a message which has one, or gets one. The push reads what the message reads,
 * and goes to whom the message goes. Pure.
 */
export function changesPush({ notification }: Pick<InAppMessage, 'notification'>, edit: Edit): boolean {
  const has = isIn(edit, ['notification']) ? edit.notification !== null : notification !== null
  return has && changesMoreThanTime(edit)
}

/** Tells whether the document of a message has to be made anew. Pure. */
export const isRendered = (edit: Edit): boolean => isIn(edit, RENDERED)

/**
 * Tells whether what the push says has to be made anew. The push of a push template stays as it is unless it is named: it says more than the
 * message stores. Pure.
 */
export function isAnnounced({ notification }: Pick<InAppMessage, 'notification'>, edit: Edit): boolean {
  if (isIn(edit, ['notification'])) return true
  return notification !== null && notification.template === undefined && isIn(edit, ['personalize', 'lookup'])
}

/**
 * The request that comes of an edit, checked as one that is new. Throws `invalid` for a key that a request does not have, and for one
 * that makes it repeat. Pure.
 */
export function editedRequest(message: InAppMessage, edit: Edit): InAppRequest {
  // Also where no value was given: a template may have tags that need none.
  const stored = { ...sendMessageAgain(message), content: message.tagValues, ...timeOf(message.schedule) }
  const request = fromInAppForm(parseJson(inAppForm, editedBody(stored, edit, FORM)))
  refuseSeries(request)
  return { ...request, ...(!isIn(edit, ['target']) && { targeting: message.filters }) }
}
