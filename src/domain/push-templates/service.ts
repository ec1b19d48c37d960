import { isDeepStrictEqual } from 'node:util'
import { newUuid } from '../../platform/crypto/ids.ts'
import { readPage } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { parseJson } from '../../platform/values/parse.ts'
import type { DraftsService } from '../notifications/accept/drafts.service.ts'
import type { SendsService } from '../notifications/accept/sends.service.ts'
import type { PushTemplateBody } from '../notifications/request/request.ts'
import { nestedWith } from '../notifications/request/template.ts'
import { fromSayingForm, sayingForm } from '../notifications/schema.ts'
import type { PushTemplatesRepository } from './repository.ts'
import type {
  NewPushTemplate,
  PushTemplate,
  PushTemplateChange,
  PushTemplatePreview,
  PushTemplateVersion,
  WholePushTemplate,
} from './types.ts'

/** Push templates of an app. */
const MAX_TEMPLATES = 1000
/** The newest versions of a push template, which are kept. */
const KEPT_VERSIONS = 100
/** Size of what a push template holds, as JSON: room for forty languages. */
const MAX_BODY_BYTES = 64 * 1024

export interface PushTemplatesParts {
  repo: PushTemplatesRepository
  drafts: () => Pick<DraftsService, 'payloads'>
  sends: () => Pick<SendsService, 'contentFor'>
  clock: Clock
  /** Called in the transaction that deletes a push template. */
  deleted(appId: number, uid: string): Promise<void>
}

/** The start and length of a page; `after` is the `next` of the previous page. */
interface Page {
  after?: number | undefined
  limit: number
}

/** Stored content of pushes. Notifications keep what they say: changing or deleting a push template does not affect them. */
export function pushTemplatesService({ repo, drafts, sends, clock, deleted }: PushTemplatesParts) {
  /** Throws `not_found`. */
  async function find(appId: number, uid: string): Promise<PushTemplate> {
    return known(await repo.find(appId, uid), uid)
  }

  async function versionOf({ id, uid }: PushTemplate, version: number): Promise<PushTemplateVersion> {
    const found = await repo.version(id, version)
    if (!found) throw new AppError('not_found', `the push template ${JSON.stringify(uid)} has no version ${version}`)
    return found
  }

  /** Throws `not_found`. */
  async function get(appId: number, uid: string): Promise<WholePushTemplate> {
    const template = await find(appId, uid)
    return { ...template, body: (await versionOf(template, template.version)).body }
  }

  /** Throws `invalid` for a body that is too large, or that the app could not send as it stands. */
  async function judge(appId: number, body: PushTemplateBody): Promise<void> {
    const size = Buffer.byteLength(JSON.stringify(body))
    if (size > MAX_BODY_BYTES) {
      throw invalid({ '': [`has ${size} bytes as JSON; at most ${MAX_BODY_BYTES} are allowed: shorten its texts`] })
    }
    await sends().contentFor(appId, fromSayingForm(parseJson(sayingForm, body)))
  }

  return {
    find,
    get,

    /** The push template, locked until the commit as a change of it does first. Throws `not_found`. */
    async lock(appId: number, uid: string): Promise<PushTemplate> {
      return known(await repo.lock(appId, uid), uid)
    },

    /** The newest version, as sends need it; undefined when there is no such push template. */
    newest: repo.newest,

    /** Tells whether there is such a push template. */
    exists: async (appId: number, uid: string): Promise<boolean> => (await repo.find(appId, uid)) !== undefined,

    /** The content of a version, and the time of its creation. Throws `not_found`. */
    async version(appId: number, uid: string, version: number): Promise<PushTemplateVersion> {
      return versionOf(await find(appId, uid), version)
    },

    /** Versions in ascending order, after `after`; `next` is null on the last page. Throws `not_found`. */
    async versions(appId: number, uid: string, { after = 0, limit }: Page) {
      const { id } = await find(appId, uid)
      const { rows: versions, last } = await readPage(limit, (most) => repo.versions(id, after, most))
      return { versions, next: last?.version ?? null }
    },

    /**
     * Shows what a send says that names this push template and has `own` beside it, and the request for each kind of gateway. Throws
     * `not_found`, and `invalid` for content that the app may not send.
     */
    async preview(appId: number, uid: string, own: Partial<PushTemplateBody>): Promise<PushTemplatePreview> {
      const template = await get(appId, uid)
      const said = nestedWith(template.body, { content: {}, ...own })
      const { payloads: gateways } = await drafts().payloads(appId, fromSayingForm(parseJson(sayingForm, said)))
      return { version: template.version, body: said as unknown as PushTemplateBody, gateways }
    },

    /** Push templates by id, after the id `after` (0 = from the start); `next` is null on the last page. */
    async list(appId: number, { after = 0, limit }: Page) {
      const { rows: templates, last } = await readPage(limit, (most) => repo.list(appId, after, most))
      return { templates, next: last?.id ?? null }
    },

    /** Creates a push template with version 1. Throws `conflict` if the uid is taken or there are too many, and `invalid`. */
    async create(appId: number, { uid = newUuid(), name = uid, body }: NewPushTemplate): Promise<WholePushTemplate> {
      await judge(appId, body)
      if (await repo.hasAtLeast(appId, MAX_TEMPLATES)) {
        throw new AppError('conflict', `the app has ${MAX_TEMPLATES} push templates: delete one that is not used`)
      }
      const now = clock.now()
      const template = await repo.insert({ appId, uid, name, version: 1, createdAt: now, updatedAt: now })
      if (!template) {
        const named = JSON.stringify(uid)
        throw new AppError('conflict', `there is a push template ${named} already: change it, or choose another uid`)
      }
      await repo.insertVersion(template.id, { body, version: 1, createdAt: now }, KEPT_VERSIONS)
      return { ...template, body }
    },

    /**
     * Changes a push template; absent parts are left unchanged, null clears one. What differs makes a new version; a name alone
     * does not. Throws `not_found`, and `invalid` for another uid and for too large a body.
     */
    async update(
      appId: number,
      uid: string,
      { uid: said = uid, name, body: change }: PushTemplateChange,
    ): Promise<WholePushTemplate> {
      const before = known(await repo.lock(appId, uid), uid)
      if (said !== uid) throw invalid({ uid: [`must be ${uid} or absent: a push template keeps its uid`] })
      const former = (await versionOf(before, before.version)).body
      const body = changed(former, change)
      const isNew = !isDeepStrictEqual(body, former)
      const now = clock.now()
      const version = before.version + (isNew ? 1 : 0)
      const template: PushTemplate = { ...before, name: name ?? before.name, version, updatedAt: now }
      if (isNew) {
        await judge(appId, body)
        await repo.insertVersion(before.id, { body, version, createdAt: now }, KEPT_VERSIONS)
      }
      await repo.update(template)
      return { ...template, body }
    },

    /** Deletes a push template with all versions. What was sent or is scheduled keeps its content; a series that names it breaks. Throws `not_found`. */
    async delete(appId: number, uid: string): Promise<void> {
      if (!(await repo.delete(appId, uid))) throw unknownTemplate(uid)
      await deleted(appId, uid)
    },
  }
}

function changed(former: PushTemplateBody, change: PushTemplateChange['body']): PushTemplateBody {
  const parts = Object.entries({ ...former, ...change }).filter(([, part]) => part !== null)
  return Object.fromEntries(parts) as unknown as PushTemplateBody
}

function known(template: PushTemplate | undefined, uid: string): PushTemplate {
  if (!template) throw unknownTemplate(uid)
  return template
}

function unknownTemplate(uid: string): AppError {
  return new AppError('not_found', `there is no push template ${JSON.stringify(uid)}`)
}
