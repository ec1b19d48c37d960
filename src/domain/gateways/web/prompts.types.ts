/**
 * A prompt with which a web page asks to send pushes (docs/reference/device-protocol.md section 7). The browser
 * evaluates it; the names are the SDK's, which receives the design unchanged.
 */
export interface Prompt {
  id: number
  appId: number
  /** The name that the operator chose. */
  name: string
  uuid: string
  design: PromptDesign
  createdAt: number
  updatedAt: number
}

export const PROMPT_TYPES = ['bell', 'alert', 'banner'] as const
export type PromptType = (typeof PROMPT_TYPES)[number]

/** Checked by `parsePrompt`. The parts depend on the type. */
export interface PromptDesign {
  type: PromptType
  position: string
  trigger: { event: string; afterSeconds?: number; filters?: unknown[] }
  [part: string]: unknown
}
