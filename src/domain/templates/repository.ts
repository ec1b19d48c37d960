import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { isStorable } from '../../platform/json.ts'
import {
  type ContentDocument,
  LAST_VERSION,
  type Tag,
  type TagValues,
  type Template,
  type TemplateVersion,
} from './types.ts'

interface TemplateRow {
  id: number
  app_id: number
  uid: string
  name: string
  version: number
  created_at: number
  updated_at: number
}

interface VersionRow {
  template_id: number
  version: number
  content: string
  tags: string
  sample: string
  created_at: number
}

const toTemplate = (row: TemplateRow): Template => ({
  id: row.id,
  appId: row.app_id,
  uid: row.uid,
  name: row.name,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toRow = (template: Omit<Template, 'id'>): Omit<TemplateRow, 'id'> => ({
  app_id: template.appId,
  uid: template.uid,
  name: template.name,
  version: template.version,
  created_at: template.createdAt,
  updated_at: template.updatedAt,
})

const toVersion = (row: VersionRow): TemplateVersion => ({
  version: row.version,
  content: JSON.parse(row.content) as ContentDocument,
  tags: JSON.parse(row.tags) as Tag[],
  sample: JSON.parse(row.sample) as TagValues,
  createdAt: row.created_at,
})

export type TemplatesRepository = ReturnType<typeof templatesRepository>

export function templatesRepository(sql: Sql) {
  const templates = () => sql<TemplateRow>('templates')
  const versions = () => sql<VersionRow>('template_versions')

  async function findRow(appId: number, uid: string, lock: boolean): Promise<Template | undefined> {
    // PostgreSQL refuses to compare with a NUL character, which a path may hold.
    if (!isStorable(uid)) return undefined
    const row = await templates()
      .where({ app_id: appId, uid })
      .modify((query) => {
        if (lock && isPostgres(sql)) void query.forUpdate()
      })
      .first()
    return row && toTemplate(row)
  }

  return {
    find: (appId: number, uid: string) => findRow(appId, uid, false),

    /** The template, until the commit changed by nobody else. SQLite has one writer. */
    lock: (appId: number, uid: string) => findRow(appId, uid, true),

    /** Templates in the order of their creation, after the one with the id `after`. */
    async list(appId: number, after: number, limit: number): Promise<Template[]> {
      const rows = await templates().where({ app_id: appId }).where('id', '>', after).orderBy('id').limit(limit)
      return rows.map(toTemplate)
    },

    /** Undefined when the app has a template of that uid. */
    async insert(template: Omit<Template, 'id'>): Promise<Template | undefined> {
      const [row] = await templates().insert(toRow(template)).onConflict(['app_id', 'uid']).ignore().returning('*')
      return row && toTemplate(row)
    },

    async update({ id, ...template }: Template): Promise<void> {
      await templates().where({ id }).update(toRow(template))
    },

    /** Returns whether there was one. */
    async delete(appId: number, uid: string): Promise<boolean> {
      return isStorable(uid) && (await templates().where({ app_id: appId, uid }).delete()) > 0
    },

    async version(templateId: number, version: number): Promise<TemplateVersion | undefined> {
      const row = await versions().where({ template_id: templateId, version }).first()
      return row && toVersion(row)
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
        .select('version', 'created_at')
      return rows.map((row) => ({ version: row.version, createdAt: row.created_at }))
    },

    async insertVersion(templateId: number, { content, tags, sample, ...made }: TemplateVersion): Promise<void> {
      await versions().insert({
        template_id: templateId,
        version: made.version,
        content: JSON.stringify(content),
        tags: JSON.stringify(tags),
        sample: JSON.stringify(sample),
        created_at: made.createdAt,
      })
    },
  }
}
