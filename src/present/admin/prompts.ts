import { PROMPT_TYPES, type Prompt } from '../../domain/gateways/web/prompts.types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, free, integer, list, nullable, object, oneOf, string, time, told } from '../schema.ts'
import { CREATED, REJECTED_IN_APP_MESSAGE_MESSAGE, UPDATED, UUID } from '../words.ts'

/** A prompt with its file as `design`. */
export function presentAdminPrompt({ name, uuid, design, createdAt, updatedAt }: Prompt) {
  return { name, uuid, type: design.type, design, created: isoOffset(createdAt), updated: isoOffset(updatedAt) }
}

export const adminPrompt = answerOf<typeof presentAdminPrompt>('WebPromptFile', 'A web prompt.', {
  name: told(string, 'Its name, unique in the app.', 'welcome'),
  uuid: told(string, UUID),
  type: told(oneOf(PROMPT_TYPES), '`bell`: a button in a corner, `alert`: a box, `banner`: a strip.', 'bell'),
  design: told(free, 'Its file, with every default.', {
    type: 'bell',
    trigger: { event: 'k.pageViewed', afterSeconds: 5 },
  }),
  created: told(time, CREATED),
  updated: told(time, UPDATED),
})
export const adminPrompts = object('WebPromptFiles', 'All web prompts of the app.', {
  items: told(list(adminPrompt), 'The prompts.'),
  next: told(nullable(integer), REJECTED_IN_APP_MESSAGE_MESSAGE),
})
