import { newUuid } from '../../../platform/crypto/ids.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { check } from '../../../platform/values/parse.ts'
import type { PromptsRepository } from './prompts.repository.ts'
import { changePrompt, parsePrompt, promptName } from './prompts.schema.ts'
import type { Prompt } from './prompts.types.ts'

/** Max prompts per app. Every page loads all of them, so an app with more has probably forgotten some. */
const MAX_PROMPTS = 50

/** Prompts of an app, with which its web pages ask for permission to send pushes. */
export function promptsService({ repo, clock }: { repo: PromptsRepository; clock: Clock }) {
  /** The prompt, locked until the commit as a change of it does first. Throws `not_found`. */
  async function lock(appId: number, name: string): Promise<Prompt> {
    return known(await repo.lock(appId, name), name)
  }

  return {
    lock,

    /** Throws `not_found`. */
    get: async (appId: number, name: string): Promise<Prompt> => known(await repo.find(appId, name), name),

    /** All prompts, oldest first. */
    list: (appId: number): Promise<Prompt[]> => repo.list(appId, MAX_PROMPTS),

    /** Throws `invalid` with every wrong key, `conflict` when the name is taken or the app has too many. */
    async create(appId: number, name: string, file: unknown): Promise<Prompt> {
      const wrong = check(promptName, name, true)
      if (wrong) throw invalid({ name: wrong[''] ?? ['is not a name'] })
      const design = parsePrompt(file)
      if (await repo.hasMany(appId, MAX_PROMPTS)) {
        throw new AppError('conflict', `the app has ${MAX_PROMPTS} prompts: delete one first`)
      }
      const now = clock.now()
      const made = await repo.insert({ appId, name, uuid: newUuid(), design, createdAt: now, updatedAt: now })
      if (!made) throw new AppError('conflict', `the prompt ${JSON.stringify(name)} already exists: update it`)
      return made
    },

    /** Replaces the given parts; null removes a part. Call it in a transaction. Throws `not_found` and `invalid`. */
    async update(appId: number, name: string, change: unknown): Promise<Prompt> {
      const before = await lock(appId, name)
      const after: Prompt = { ...before, design: changePrompt(before.design, change), updatedAt: clock.now() }
      await repo.update(after)
      return after
    },

    /** Throws `not_found`. */
    async delete(appId: number, name: string): Promise<void> {
      if (!(await repo.delete(appId, name))) throw unknownPrompt(name)
    },
  }
}

function known(prompt: Prompt | undefined, name: string): Prompt {
  if (!prompt) throw unknownPrompt(name)
  return prompt
}

function unknownPrompt(name: string): AppError {
  return new AppError('not_found', `there is no prompt ${JSON.stringify(name)}`)
}
