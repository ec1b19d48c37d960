import { isDeepStrictEqual } from 'node:util'
import { newUuid } from '../../platform/crypto/ids.ts'
import { readPage } from '../../platform/db/pages.ts'
import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { checkTemplate, fittingSample } from './check.ts'
import { renderDocument } from './render.ts'
import type { TemplatesRepository } from './repository.ts'
import type {
  NewTemplate,
  Rendered,
  TagValues,
  Template,
  TemplateBody,
  TemplateChange,
  TemplateVersion,
  WholeTemplate,
} from './types.ts'

export interface TemplatesParts {
  repo: TemplatesRepository
  clock: Clock
  /** Called in the transaction that deletes a template. */
  deleted(appId: number, uid: string): Promise<void>
}

export type TemplatesService = ReturnType<typeof templatesService>

/** The start and length of a page; `after` is the `next` of the previous page. */
interface Page {
  after?: number | undefined
  limit: number
}

/** Templates of in-app messages. Changing or deleting a template does not affect messages, which store their rendered document. */
export function templatesService({ repo, clock, deleted }: TemplatesParts) {
  /** Throws `not_found`. */
  async function find(appId: number, uid: string): Promise<Template> {
    return known(await repo.find(appId, uid), uid)
  }

  async function versionOf({ id, uid }: Template, version: number): Promise<TemplateVersion> {
    const found = await repo.version(id, version)
    if (!found) throw new AppError('not_found', `template ${JSON.stringify(uid)} has no version ${version}`)
    return found
  }

  /** Throws `not_found`. */
  async function get(appId: number, uid: string): Promise<WholeTemplate> {
    const template = await find(appId, uid)
    const { content, tags, sample } = await versionOf(template, template.version)
    return { ...template, content, tags, sample }
  }

  return {
    find,
    get,

    /** The template, locked until the commit as a change of it does first. Throws `not_found`. */
    async lock(appId: number, uid: string): Promise<Template> {
      return known(await repo.lock(appId, uid), uid)
    },

    /** The contents of a version and the time of its creation. Throws `not_found`. */
    async version(appId: number, uid: string, version: number): Promise<TemplateVersion> {
      return versionOf(await find(appId, uid), version)
    },

    /** Versions in ascending order, after `after`; `next` is null on the last page. Throws `not_found`. */
    async versions(appId: number, uid: string, { after = 0, limit }: Page) {
      const { id } = await find(appId, uid)
      const { rows: versions, last } = await readPage(limit, (most) => repo.versions(id, after, most))
      return { versions, next: last?.version ?? null }
    },

    /**
     * The document rendered with these values, or with the sample values. Throws `not_found`, and as `renderTemplate`.
     */
    async preview(appId: number, uid: string, values?: TagValues): Promise<Rendered> {
      const template = await get(appId, uid)
      return renderTemplate(template, values ?? template.sample)
    },

    /** Templates by id, after the id `after` (0 = from the start); `next` is null on the last page. */
    async list(appId: number, { after = 0, limit }: Page) {
      const { rows: templates, last } = await readPage(limit, (most) => repo.list(appId, after, most))
      return { templates, next: last?.id ?? null }
    },

    /** Creates a template with version 1. Throws `invalid` if the uid is taken. */
    async create(appId: number, { uid = newUuid(), name = uid, ...body }: NewTemplate): Promise<WholeTemplate> {
      const now = clock.now()
      const template = await repo.insert({ appId, uid, name, version: 1, createdAt: now, updatedAt: now })
      if (!template) throw invalid({ uid: ['is the uid of another template: change that one, or choose another uid'] })
      await repo.insertVersion(template.id, { ...body, version: 1, createdAt: now })
      return { ...template, ...body }
    },

    /**
     * Changes a template; absent fields are left unchanged. Different content, tags or sample values create a new
     * version; a name alone does not. Throws `not_found`, and `invalid` if the given parts do not fit the remaining
     * ones.
     */
    async update(
      appId: number,
      uid: string,
      { uid: said = uid, name, ...change }: TemplateChange,
    ): Promise<WholeTemplate> {
      const before = known(await repo.lock(appId, uid), uid)
      if (said !== uid) throw invalid({ uid: [`must be ${uid} or absent: a template keeps its uid`] })
      const { content, tags, sample } = await versionOf(before, before.version)
      const body = changedBody({ content, tags, sample }, change)
      const isNew = !isDeepStrictEqual(body, { content, tags, sample })
      const now = clock.now()
      const version = before.version + (isNew ? 1 : 0)
      const template: Template = { ...before, name: name ?? before.name, version, updatedAt: now }
      if (isNew) await repo.insertVersion(before.id, { ...body, version, createdAt: now })
      await repo.update(template)
      return { ...template, ...body }
    },

    /** Deletes a template with all versions. Messages rendered from it remain. Throws `not_found`. */
    async delete(appId: number, uid: string): Promise<void> {
      if (!(await repo.delete(appId, uid))) throw unknownTemplate(uid)
      await deleted(appId, uid)
    },
  }
}

/**
 * Renders a template with values by the titles of its tags. Throws `invalid` that names `content.{title}` for every tag
 * that is missing, unknown or of the wrong type.
 */
export function renderTemplate(
  { version, content, tags }: Pick<WholeTemplate, 'version' | 'content' | 'tags'>,
  values: TagValues,
): Rendered {
  const { document, errors } = renderDocument(content, tags, values)
  if (!document) throw invalid(errors)
  return { version, content: document, tags }
}

/** Throws `invalid` with the fields that the caller gave. */
function changedBody(before: TemplateBody, change: TemplateChange): TemplateBody {
  const tags = change.tags ?? before.tags
  const body = {
    content: change.content ?? before.content,
    tags,
    sample: change.sample ?? fittingSample(tags, before.sample),
  }
  const errors: FieldErrors = {}
  for (const [path, problems] of Object.entries(checkTemplate(body))) {
    const part = path.split(/[.[]/)[0] as keyof TemplateBody
    if (change[part] !== undefined) errors[path] = problems
    // A remaining part does not fit a new one. Remaining samples are not checked: they are for previews only.
    else if (part !== 'sample') {
      const given = (['tags', 'content', 'sample'] as const).find((one) => change[one] !== undefined)!
      ;(errors[given] ??= []).push(...problems.map((problem) => `does not fit: ${path} ${problem}`))
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return body
}

function known(template: Template | undefined, uid: string): Template {
  if (!template) throw unknownTemplate(uid)
  return template
}

function unknownTemplate(uid: string): AppError {
  return new AppError('not_found', `there is no template ${JSON.stringify(uid)}`)
}
