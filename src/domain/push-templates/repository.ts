import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { hasAtLeast, oldestFirst } from '../../platform/db/pages.ts'
import { definition, integer, table } from '../../platform/db/table.ts'
import { isStorable } from '../../platform/json/json.ts'
import { LAST_VERSION } from '../../platform/values/version.ts'
import type { PushTemplateBody } from '../notifications/request/request.ts'
import { notePictures } from '../pictures/uses.ts'
import { PUSH_TEMPLATES, type PushTemplate, type PushTemplateVersion } from './types.ts'

const VERSIONS = table('push_template_versions', {
  version: integer('version'),
  body: definition('body').as<PushTemplateBody>(),
  createdAt: integer('created_at'),
})
const VERSION_TIMES = VERSIONS.pick('version', 'createdAt')
const NEWEST = VERSIONS.pick('version', 'body')

export type PushTemplatesRepository = ReturnType<typeof pushTemplatesRepository>

/** Tables: docs/reference/schema.md#push_templates, #push_template_versions. */
export function pushTemplatesRepository(sql: Sql) {
  const templates = () => PUSH_TEMPLATES.in(sql)
  const versions = () => sql('push_template_versions')

  async function findRow(appId: number, uid: string, lock: boolean): Promise<PushTemplate | undefined> {
    // PostgreSQL refuses NUL characters in queries, and a URL path may contain one.
    if (!isStorable(uid)) return undefined
    const row = await templates()
      .where({ app_id: appId, uid })
      .modify((query) => {
        if (lock && isPostgres(sql)) void query.forUpdate()
      })
      .first()
    return row && PUSH_TEMPLATES.fromRow(row)
  }

  return {
    find: (appId: number, uid: string) => findRow(appId, uid, false),

    /** The push template, locked until the commit against changes by others. SQLite has a single writer. */
    lock: (appId: number, uid: string) => findRow(appId, uid, true),

    /** The newest version of a push template, by one statement: each send that names one waits for it. */
    async newest(appId: number, uid: string): Promise<Pick<PushTemplateVersion, 'version' | 'body'> | undefined> {
      if (!isStorable(uid)) return undefined
      const row = await sql('push_templates as t')
        .join('push_template_versions as v', (on) => on.on('v.push_template_id', 't.id').on('v.version', 't.version'))
        .where({ 't.app_id': appId, 't.uid': uid })
        .first('v.version', 'v.body')
      return row && NEWEST.fromRow(row)
    },

    /** Tells whether an app has this many push templates, or more. */
    hasAtLeast: (appId: number, count: number) => hasAtLeast(sql('push_templates').where({ app_id: appId }), count),

    /** Push templates in the order of their creation, after the id `after`. */
    async list(appId: number, after: number, limit: number): Promise<PushTemplate[]> {
      const rows = await templates().where({ app_id: appId }).modify(oldestFirst(after, limit))
      return rows.map(PUSH_TEMPLATES.fromRow)
    },

    /** Stores a push template. Undefined when the app already has one with this uid. */
    async insert(template: Omit<PushTemplate, 'id'>): Promise<PushTemplate | undefined> {
      const [row] = await templates()
        .insert(PUSH_TEMPLATES.toRow(template))
        .onConflict(['app_id', 'uid'])
        .ignore()
        .returning('*')
      return row && PUSH_TEMPLATES.fromRow(row)
    },

    async update({ id, ...template }: PushTemplate): Promise<void> {
      await templates().where({ app_id: template.appId, id }).update(PUSH_TEMPLATES.toRow(template))
    },

    /** Deletes a push template with its versions. Returns whether there was one. */
    async delete(appId: number, uid: string): Promise<boolean> {
      return isStorable(uid) && (await templates().where({ app_id: appId, uid }).delete()) > 0
    },

    async version(templateId: number, version: number): Promise<PushTemplateVersion | undefined> {
      const row = await versions().where({ push_template_id: templateId, version }).first()
      return row && VERSIONS.fromRow(row)
    },

    /** Numbers and creation times of versions after `after`, without what they hold. */
    async versions(
      templateId: number,
      after: number,
      limit: number,
    ): Promise<Pick<PushTemplateVersion, 'version' | 'createdAt'>[]> {
      const rows = await versions()
        .where({ push_template_id: templateId })
        // PostgreSQL refuses to compare the column with a number that it cannot hold.
        .where('version', '>', Math.min(after, LAST_VERSION))
        .orderBy('version')
        .limit(limit)
        .select(...VERSION_TIMES.names)
      return rows.map(VERSION_TIMES.fromRow)
    },

    /** Stores a version, and forgets those before the newest `kept`. */
    async insertVersion(templateId: number, version: PushTemplateVersion, kept: number): Promise<void> {
      await versions().insert({ push_template_id: templateId, ...VERSIONS.toRow(version) })
      await notePictures(sql, 'push template', templateId, version.body)
      if (version.version <= kept) return
      await versions()
        .where({ push_template_id: templateId })
        .where('version', '<=', version.version - kept)
        .delete()
    },
  }
}
