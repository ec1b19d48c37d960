import { PROMPT_TYPES, type Prompt } from '../../domain/gateways/web/prompts.types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, free, integer, list, nullable, object, oneOf, string, time } from '../schema.ts'

/** A prompt with its file as `design`. */
export function presentAdminPrompt({ name, uuid, design, createdAt, updatedAt }: Prompt) {
  return { name, uuid, type: design.type, design, created: isoOffset(createdAt), updated: isoOffset(updatedAt) }
}

export const adminPrompt = answerOf<typeof presentAdminPrompt>('WebPromptFile', {
  name: string,
  uuid: string,
  type: oneOf(PROMPT_TYPES),
  design: free,
  created: time,
  updated: time,
})
export const adminPrompts = object({ items: list(adminPrompt), next: nullable(integer) }, 'WebPromptFiles')
