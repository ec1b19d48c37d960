import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { oldestFirst } from '../../platform/db/pages.ts'
import { definition, definitionList, integer, table } from '../../platform/db/table.ts'
import { isStorable } from '../../platform/json/json.ts'
import { LAST_VERSION } from '../../platform/values/version.ts'
import { notePictures } from '../pictures/uses.ts'
import {
  type ContentDocument,
  type Tag,
  type TagValues,
  TEMPLATES,
  type Template,
  type TemplateVersion,
} from './types.ts'

const VERSIONS = table('template_versions', {
  version: integer('version'),
  content: definition('content').as<ContentDocument>(),
  tags: definitionList('tags').as<Tag[]>(),
  sample: definition('sample').as<TagValues>(),
  createdAt: integer('created_at'),
})
const VERSION_TIMES = VERSIONS.pick('version', 'createdAt')

export type TemplatesRepository = ReturnType<typeof templatesRepository>

/** Tables: docs/reference/schema.md#templates, #template_versions. */
export function templatesRepository(sql: Sql) {
  const templates = () => TEMPLATES.in(sql)
  const versions = () => sql('template_versions')

  async function findRow(appId: number, uid: string, lock: boolean): Promise<Template | undefined> {
    // PostgreSQL refuses NUL characters in queries, and a URL path may contain one.
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

    /** The template, locked until the commit against changes by others. SQLite has a single writer. */
    lock: (appId: number, uid: string) => findRow(appId, uid, true),

    /** Templates in the order of their creation, after the id `after`. */
    async list(appId: number, after: number, limit: number): Promise<Template[]> {
      const rows = await templates().where({ app_id: appId }).modify(oldestFirst(after, limit))
      return rows.map(TEMPLATES.fromRow)
    },

    /** Stores a template. Undefined when the app already has one with this uid. */
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

    /** Deletes a template with its versions. Returns whether there was one. */
    async delete(appId: number, uid: string): Promise<boolean> {
      return isStorable(uid) && (await templates().where({ app_id: appId, uid }).delete()) > 0
    },

    async version(templateId: number, version: number): Promise<TemplateVersion | undefined> {
      const row = await versions().where({ template_id: templateId, version }).first()
      return row && VERSIONS.fromRow(row)
    },

    /** Numbers and creation times of versions after `after`, without their contents. */
    async versions(
      templateId: number,
      after: number,
      limit: number,
    ): Promise<Pick<TemplateVersion, 'version' | 'createdAt'>[]> {
      const rows = await versions()
        .where({ template_id: templateId })
        // PostgreSQL refuses to compare the column with a number that it cannot hold.
        .where('version', '>', Math.min(after, LAST_VERSION))
        .orderBy('version')
        .limit(limit)
        .select(...VERSION_TIMES.names)
      return rows.map(VERSION_TIMES.fromRow)
    },

    async insertVersion(templateId: number, version: TemplateVersion): Promise<void> {
      await versions().insert({ template_id: templateId, ...VERSIONS.toRow(version) })
      await notePictures(sql, 'template', templateId, version)
    },
  }
}
