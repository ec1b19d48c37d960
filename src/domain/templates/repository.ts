import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { oldestFirst } from '../../platform/db/pages.ts'
import { integer, json, table, text } from '../../platform/db/table.ts'
import { isStorable } from '../../platform/json.ts'
import {
  type ContentDocument,
  LAST_VERSION,
  type Tag,
  type TagValues,
  type Template,
  type TemplateVersion,
} from './types.ts'

const TEMPLATES = table('templates', {
  id: integer('id'),
  appId: integer('app_id'),
  uid: text('uid'),
  name: text('name'),
  version: integer('version'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

const VERSIONS = table('template_versions', {
  version: integer('version'),
  content: json('content').as<ContentDocument>(),
  tags: json('tags').as<Tag[]>(),
  sample: json('sample').as<TagValues>(),
  createdAt: integer('created_at'),
})
const VERSION_TIMES = VERSIONS.pick('version', 'createdAt')

export type TemplatesRepository = ReturnType<typeof templatesRepository>

export function templatesRepository(sql: Sql) {
  const templates = () => TEMPLATES.in(sql)
  const versions = () => sql('template_versions')

  async function findRow(appId: number, uid: string, lock: boolean): Promise<Template | undefined> {
    // PostgreSQL refuses to compare with a NUL character, which a path may hold.
    if (!isStorable(uid)) return undefined
    const row = await templates()
      .where({ app_id: appId, uid })
      .modify((query) => {
        if (lock && isPostgres(sql)) void query.forUpdate()
      })
      .first()
    return row && TEMPLATES.fromRow(row)
  }

  return {
    find: (appId: number, uid: string) => findRow(appId, uid, false),

    /** The template, until the commit changed by nobody else. SQLite has one writer. */
    lock: (appId: number, uid: string) => findRow(appId, uid, true),

    /** Templates in the order of their creation, after the one with the id `after`. */
    async list(appId: number, after: number, limit: number): Promise<Template[]> {
      const rows = await templates().where({ app_id: appId }).modify(oldestFirst(after, limit))
      return rows.map(TEMPLATES.fromRow)
    },

    /** Undefined when the app has a template of that uid. */
    async insert(template: Omit<Template, 'id'>): Promise<Template | undefined> {
      const [row] = await templates()
        .insert(TEMPLATES.toRow(template))
        .onConflict(['app_id', 'uid'])
        .ignore()
        .returning('*')
      return row && TEMPLATES.fromRow(row)
    },

    async update({ id, ...template }: Template): Promise<void> {
      await templates().where({ app_id: template.appId, id }).update(TEMPLATES.toRow(template))
    },

    /** Returns whether there was one. */
    async delete(appId: number, uid: string): Promise<boolean> {
      return isStorable(uid) && (await templates().where({ app_id: appId, uid }).delete()) > 0
    },

    async version(templateId: number, version: number): Promise<TemplateVersion | undefined> {
      const row = await versions().where({ template_id: templateId, version }).first()
      return row && VERSIONS.fromRow(row)
    },

    /** When the versions were made, without what they hold. */
    async versions(
      templateId: number,
      after: number,
      limit: number,
    ): Promise<Pick<TemplateVersion, 'version' | 'createdAt'>[]> {
      const rows = await versions()
        .where({ template_id: templateId })
        // PostgreSQL refuses to compare with what the column cannot hold.
        .where('version', '>', Math.min(after, LAST_VERSION))
        .orderBy('version')
        .limit(limit)
        .select(...VERSION_TIMES.names)
      return rows.map(VERSION_TIMES.fromRow)
    },

    async insertVersion(templateId: number, version: TemplateVersion): Promise<void> {
      await versions().insert({ template_id: templateId, ...VERSIONS.toRow(version) })
    },
  }
}
