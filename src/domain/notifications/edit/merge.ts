import { fieldNames, parseJson } from '../../../platform/values/parse.ts'
import { type Edit, editedBody, hasMoreThanTime, isIn, refuseSeries } from '../../schedules/edit.ts'
import { fromMessagesForm, messagesForm } from '../request/messages.ts'
import type { NotificationRequest } from '../request/request.ts'
import { misplacedKeys } from '../request/variants.ts'
import type { NotificationRecord } from '../types.ts'

const FORM = { keys: fieldNames(messagesForm), what: 'a notification', misplaced: misplacedKeys }
/** The keys that make the stored content. */
const CONTENT = ['content', 'collapseId', 'runBackgroundHandler', 'ios', 'android', 'buttons', 'personalize', 'lookup']

/** Tells whether an edit changes what is sent or to whom. Pure. */
export const changesMoreThanTime = (edit: Edit): boolean => hasMoreThanTime(edit, ['rateLimit'])

/** The remedy for people in an app in which a second person approves what is sent. */
export const ASK_AGAIN = 'its time can be changed; to change more, cancel it and ask for approval of another one'

/**
 * The request that comes of an edit, checked as one that is new. `stored` is the body of the notification. What the edit leaves alone
 * stays as it is stored, also where this form cannot say it: a targeting of several groups, the push template that it was made of.
 * Throws `invalid` for a key that a request does not have, and for one that makes it repeat. Pure.
 */
export function editedRequest(
  { content, filters }: Pick<NotificationRecord, 'content' | 'filters'>,
  stored: Edit,
  edit: Edit,
): NotificationRequest {
  const request = fromMessagesForm(parseJson(messagesForm, editedBody(stored, edit, FORM)))
  refuseSeries(request)
  return {
    ...request,
    ...(!isIn(edit, ['target']) && { targeting: filters }),
    content: contentOf(content, request, edit),
  }
}

/** The content of the request, or the stored one where the edit leaves it alone. */
function contentOf(stored: NotificationRecord['content'], { content }: NotificationRequest, edit: Edit) {
  if (!isIn(edit, CONTENT)) return stored
  const { template } = stored
  return isIn(edit, ['content']) || template === undefined ? content : { ...content, template }
}
