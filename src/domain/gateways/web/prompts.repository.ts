import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { hasAtLeast } from '../../../platform/db/pages.ts'
import { definition, integer, table, text } from '../../../platform/db/table.ts'
import { isStorable } from '../../../platform/json/json.ts'
import type { Prompt, PromptDesign } from './prompts.types.ts'

const PROMPTS = table('web_prompts', {
  id: integer('id'),
  appId: integer('app_id'),
  name: text('name'),
  uuid: text('uuid'),
  design: definition('design').as<PromptDesign>(),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

export type PromptsRepository = ReturnType<typeof promptsRepository>

/** Tables: docs/reference/schema.md#web_prompts. */
export function promptsRepository(sql: Sql) {
  const prompts = () => PROMPTS.in(sql)

  async function findRow(appId: number, name: string, lock: boolean): Promise<Prompt | undefined> {
    // PostgreSQL refuses to compare with a NUL character.
    if (!isStorable(name)) return undefined
    const row = await prompts()
      .where({ app_id: appId, name })
      .modify((query) => {
        if (lock && isPostgres(sql)) void query.forUpdate()
      })
      .first()
    return row && PROMPTS.fromRow(row)
  }

  return {
    find: (appId: number, name: string) => findRow(appId, name, false),

    /** The prompt, locked until the commit. SQLite has one writer and needs no lock. */
    lock: (appId: number, name: string) => findRow(appId, name, true),

    /** Prompts, oldest first. */
    async list(appId: number, limit: number): Promise<Prompt[]> {
      return (await prompts().where({ app_id: appId }).orderBy('id').limit(limit)).map(PROMPTS.fromRow)
    },

    /** Tells whether the app has at least `most` prompts. */
    hasMany: (appId: number, most: number): Promise<boolean> => hasAtLeast(prompts().where({ app_id: appId }), most),

    /** Stores a prompt; undefined when the name is taken. */
    async insert(prompt: Omit<Prompt, 'id'>): Promise<Prompt | undefined> {
      const [row] = await prompts().insert(PROMPTS.toRow(prompt)).onConflict(['app_id', 'name']).ignore().returning('*')
      return row && PROMPTS.fromRow(row)
    },

    async update({ appId, id, design, updatedAt }: Prompt): Promise<void> {
      await prompts().where({ app_id: appId, id }).update(PROMPTS.toRow({ design, updatedAt }))
    },

    /** Deletes a prompt; returns whether there was one. */
    async delete(appId: number, name: string): Promise<boolean> {
      return isStorable(name) && (await prompts().where({ app_id: appId, name }).delete()) > 0
    },
  }
}
