import { isObject, type Values } from '../../forms/table.ts'
import { draftOfSeries as draftOfMessages, isAimed } from '../in-app/draft.ts'
import { type Draft, draftOf, type SendRequest } from '../push/draft.ts'

/** Changes of series. Pure. */

/** The request of a series as the form of a push. */
export const draftOfSeries = (request: Values): Draft => ({
  ...draftOf(request as SendRequest),
  when: 'repeat',
})

/**
 * Tells whether the form of a push or an in-app message shows the request of a series so that it can be changed. No form shows a
 * target of several groups, nor what a push template says.
 */
export function isShownWhole({ kind, request }: { kind: string; request: Values }): boolean {
  const { content } = request
  if (kind === 'in-app') return typeof request['template'] === 'string' && isAimed(draftOfMessages(request))
  return kind === 'push' && isObject(content) && content['template'] == null && draftOfSeries(request).who !== ''
}

/** The keys of a body that differ from those before; null for those that are gone. */
export function changeOf(before: object, after: object): Record<string, unknown> {
  const [was, is] = [before as Values, after as Values]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return Object.fromEntries(
    names.flatMap((name) => (JSON.stringify(was[name]) === JSON.stringify(is[name]) ? [] : [[name, is[name] ?? null]])),
  )
}
