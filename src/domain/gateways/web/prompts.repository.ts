import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { isStorable } from '../../../platform/json.ts'
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

  async function findRow(appId: number, name: string, lock: boolean): Promise<Prompt | undefined> {
    // PostgreSQL refuses to compare with a NUL character.
    if (!isStorable(name)) return undefined
    const row = await prompts()
      .where({ app_id: appId, name })
      .modify((query) => {
        if (lock && isPostgres(sql)) void query.forUpdate()
      })
      .first()
    return row && toPrompt(row)
  }

  return {
    find: (appId: number, name: string) => findRow(appId, name, false),

    /** The prompt, locked until the commit. SQLite has one writer and needs no lock. */
    lock: (appId: number, name: string) => findRow(appId, name, true),

    /** Prompts, oldest first. */
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
