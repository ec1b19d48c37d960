import { PROMPT_TYPES, type Prompt } from '../../domain/gateways/web/prompts.types.ts'
import { answer, free, integer, list, nullable, object, oneOf, string, time, told } from '../schema.ts'
import { ALWAYS_NULL, CREATED, UPDATED, UUID } from '../words.ts'

/** A prompt with its file as `design`. */
export const adminPrompt = answer<Prompt>()('WebPromptFile', 'A web prompt.', {
  name: told(string, 'Its name, unique in the app.', 'welcome'),
  uuid: told(string, UUID),
  type: told(
    oneOf(PROMPT_TYPES),
    '`bell`: a button in a corner, `alert`: a box, `banner`: a strip.',
    'bell',
    ({ design }) => design.type,
  ),
  design: told(free, 'Its file, with every default.', {
    type: 'bell',
    trigger: { event: 'k.pageViewed', afterSeconds: 5 },
  }),
  created: told(time, CREATED, ({ createdAt }) => createdAt),
  updated: told(time, UPDATED, ({ updatedAt }) => updatedAt),
})
export const presentAdminPrompt = adminPrompt.present
export const adminPrompts = object('WebPromptFiles', 'All web prompts of the app.', {
  items: told(list(adminPrompt), 'The prompts.'),
  next: told(nullable(integer), ALWAYS_NULL),
})
