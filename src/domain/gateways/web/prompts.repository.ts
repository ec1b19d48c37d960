import type { Sql } from '../../../platform/db/connect.ts'
import { isStorable } from '../../../platform/parse.ts'
import type { Prompt, PromptDesign } from './prompts.types.ts'

interface PromptRow {
  id: number
  app_id: number
  name: string
  uuid: string
  design: string
  created_at: number
  updated_at: number
}

const toPrompt = (row: PromptRow): Prompt => ({
  id: row.id,
  appId: row.app_id,
  name: row.name,
  uuid: row.uuid,
  design: JSON.parse(row.design) as PromptDesign,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export type PromptsRepository = ReturnType<typeof promptsRepository>

export function promptsRepository(sql: Sql) {
  const prompts = () => sql<PromptRow>('web_prompts')

  return {
    async find(appId: number, name: string): Promise<Prompt | undefined> {
      // PostgreSQL refuses to compare with a NUL character.
      if (!isStorable(name)) return undefined
      const row = await prompts().where({ app_id: appId, name }).first()
      return row && toPrompt(row)
    },

    /** Prompts in the order of their creation. */
    async list(appId: number, limit: number): Promise<Prompt[]> {
      return (await prompts().where({ app_id: appId }).orderBy('id').limit(limit)).map(toPrompt)
    },

    /** Undefined when the name is taken. */
    async insert({ appId, name, uuid, design, createdAt }: Omit<Prompt, 'id'>): Promise<Prompt | undefined> {
      const [row] = await prompts()
        .insert({
          app_id: appId,
          name,
          uuid,
          design: JSON.stringify(design),
          created_at: createdAt,
          updated_at: createdAt,
        })
        .onConflict(['app_id', 'name'])
        .ignore()
        .returning('*')
      return row && toPrompt(row)
    },

    async update({ appId, id, design, updatedAt }: Prompt): Promise<void> {
      const change = { design: JSON.stringify(design), updated_at: updatedAt }
      await prompts().where({ app_id: appId, id }).update(change)
    },

    /** Returns whether there was one. */
    async delete(appId: number, name: string): Promise<boolean> {
      return isStorable(name) && (await prompts().where({ app_id: appId, name }).delete()) > 0
    },
  }
}
