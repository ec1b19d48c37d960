import type { Answer } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'

type PromptType = Answer<'/admin/v1/apps/{appId}/prompts/{name}'>['type']

export const PROMPT_NAMES: Record<PromptType, string> = { bell: 'Bell', alert: 'Box', banner: 'Strip' }

/** Words for the place of a banner on a web page. */
export const PLACES = { bottom: 'Bottom of the page', top: 'Top of the page' } as const

/** Colours as the web SDK has them when nothing else is said. */
export const BOX_COLORS = {
  fg: '#14181f',
  bg: '#ffffff',
  declineActionFg: '#535d6b',
  declineActionBg: '#ffffff',
  acceptActionFg: '#ffffff',
  acceptActionBg: '#1753d8',
}
export type BoxColors = typeof BOX_COLORS

/** Texts that visitors read are sent as they were typed. */
export const seen = { isAsTyped: true, need: 'People see it: write something.' } as const

/** Rows about the time at which banners and prompts are shown. */
export const eventRow = row.text('trigger.event', 'Event of the page', {
  first: 'k.pageViewed',
  hint: 'k.pageViewed is every page; your page can track others.',
  isMono: true,
})
export const waitRow = row.number('trigger.afterSeconds', 'Wait', { unit: 'seconds', min: 0, isOptional: true })
