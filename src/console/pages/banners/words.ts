import type { Answer } from '../../api/client.ts'

type PromptType = Answer<'/admin/v1/apps/{appId}/prompts/{name}'>['type']

export const PROMPT_NAMES: Record<PromptType, string> = { bell: 'Bell', alert: 'Box', banner: 'Strip' }

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
