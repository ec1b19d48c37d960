import type { Answer, Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { isObject, type Values } from '../../forms/table.ts'
import { type Draft, draftOf, EMPTY, type SendRequest, sayingOf } from '../push/draft.ts'
import { readable } from '../push/personal/template.ts'
import type { Shown } from '../push/shown.ts'

/** Push templates as forms of a push, and forms of a push as push templates. Pure. */

export const TEMPLATES = '/admin/v1/apps/{appId}/push-templates'
export const TEMPLATE = '/admin/v1/apps/{appId}/push-templates/{uid}'
export type PushTemplate = Answer<typeof TEMPLATE>
type NewTemplate = Body<typeof TEMPLATES, 'post'>
/** The parts of a push template, as the body of a new one has them. */
export type Content = Omit<NewTemplate, 'uid' | 'name'>

/** The keys of a send that a push template holds. Each but the first may be absent. */
const PARTS = ['content', 'personalize', 'lookup', 'ios', 'android', 'buttons'] as const

/** The parts of a push template, or of one of its versions. */
export const partsOf = (of: object): Content =>
  Object.fromEntries(
    PARTS.flatMap((name) => ((of as Values)[name] == null ? [] : [[name, (of as Values)[name]]])),
  ) as Content

/** The content that is written in the form of a push, as a push template holds it. */
export const contentOf = (draft: Draft): Content => partsOf(sayingOf(draft))

/** The body that makes a push template hold exactly this: null takes a part away. */
export const replacing = (content: Content): Content & Record<string, unknown> => ({
  ...Object.fromEntries(PARTS.map((name) => [name, null])),
  ...content,
})

/** The form of a push that says what a push template says. It goes to everybody, as whom it is shown. */
export const draftOfTemplate = (of: object): Draft => ({
  ...draftOf(partsOf(of) as unknown as SendRequest),
  who: 'everybody',
})

/** A form that says something else: what it says of the push template, everything else as it was. */
export function withContent(draft: Draft, of: object): Draft {
  const filled = draftOf(partsOf(of) as unknown as SendRequest)
  const kept = Object.keys(EMPTY).filter((name) => !isSaid(name))
  const others = Object.entries(draft.stored).filter(([name]) => !PARTS.some((part) => part === name))
  return {
    ...filled,
    ...Object.fromEntries(kept.map((name) => [name, (draft as Values)[name]])),
    // What no field shows comes with what it belongs to.
    stored: { ...Object.fromEntries(others), ...partsOf(of) },
  }
}

/** Fields of the form that a push template fills, by the beginning of their names. */
const SAID = ['content.', 'ios.', 'android.', 'personalize', 'lookup', 'buttons', 'picture', 'badgeType']
const isSaid = (name: string): boolean => SAID.some((start) => name.startsWith(start))

/** Visible parts of a push template on a phone, with the words of its values in place of braces. */
export function shownOfTemplate(of: object): Shown {
  const { content, personalize, ios, buttons } = of as Values
  const text = (holder: unknown, name: string): string => {
    const value = isObject(holder) ? holder[name] : undefined
    return typeof value !== 'string' ? '' : personalize ? readable(value) : value
  }
  return {
    title: text(content, 'title'),
    subtitle: text(ios, 'subtitle') || undefined,
    message: text(content, 'message'),
    buttons: Array.isArray(buttons) ? buttons.map((one) => text(one, 'text')) : [],
  }
}

const rows = row.table<NewTemplate>()
const named = row.text('name', 'Name', { hint: 'For your team. People do not see it.', need: 'Give it a name.' })
/** Rows of a new push template beside what it holds. */
export const NAMES = rows(
  named,
  row.text('uid', 'Identifier', {
    isMono: true,
    isOptional: true,
    placeholder: 'order-ready',
    hint: 'Servers send it by this name, which cannot be changed. Empty: one is created.',
  }),
)
/** Rows of one that is changed. */
export const RENAME = rows(named)
