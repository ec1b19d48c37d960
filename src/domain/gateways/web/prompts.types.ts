/**
 * A prompt with which a web page asks to send pushes (docs/reference/device-protocol.md section 7). Everything about it is evaluated in the browser;
 * names are the SDK's, which gets the design as it is.
 */
export interface Prompt {
  id: number
  appId: number
  /** The operator's name for it. */
  name: string
  uuid: string
  design: PromptDesign
  createdAt: number
  updatedAt: number
}

export const PROMPT_TYPES = ['bell', 'alert', 'banner'] as const
export type PromptType = (typeof PROMPT_TYPES)[number]

/** Checked by `parsePrompt`; which parts there are depends on the type. */
export interface PromptDesign {
  type: PromptType
  position: string
  trigger: { event: string; afterSeconds?: number; filters?: unknown[] }
  [part: string]: unknown
}
