import * as row from '../../forms/rows.ts'
import { isObject, type Values, type ValuesOf } from '../../forms/table.ts'
import { REPEAT, recurringOf } from './rows.ts'

/** The form that changes a series, as a table, and the change that it makes. Pure. */

const textIn = (name: 'title' | 'message') => (_: unknown, body: Values) => {
  const { content } = body
  const text = isObject(content) ? content[name] : undefined
  return typeof text === 'string' ? text : undefined
}

/**
 * Tells whether the form can change what a series says: title and message of a push that everybody gets alike, and that no push
 * template has.
 */
export function hasPlainTexts({ kind, request }: { kind: string; request: Values }): boolean {
  const { content, personalize } = request
  return kind === 'push' && !personalize && isObject(content) && typeof content['message'] === 'string'
}

/** Rows of the texts. They are not there for a series whose texts this form cannot change. */
export const TEXTS = [
  row.own('isPlain', false, { path: '' }),
  row.where(
    ({ isPlain }) => isPlain === true,
    row.text('title', 'Title', {
      path: '',
      also: ['content.title'],
      isAsTyped: true,
      need: 'Give it a title.',
      from: textIn('title'),
    }),
    row.area('message', 'Message', {
      path: '',
      also: ['content.message', 'content'],
      need: 'Write what it says.',
      from: textIn('message'),
    }),
  ),
] as const

export const CHANGE = [...REPEAT, ...TEXTS] as const
type ChangeDraft = ValuesOf<typeof CHANGE>

/** The keys of the request that the form changes. Everything else of the content stays as it is. Undefined while the rule is not complete. */
export function changeOf(request: Values, draft: ChangeDraft): Record<string, unknown> | undefined {
  const schedule = recurringOf(draft)
  if (!schedule) return undefined
  const { isPlain, title, message } = draft
  return { ...(isPlain && { content: { ...(request['content'] as object), title, message } }), schedule }
}
