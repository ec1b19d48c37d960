import type {
  Rendered,
  Starter,
  Template,
  TemplateBody,
  TemplateVersion,
  WholeTemplate,
} from '../../domain/templates/types.ts'
import { plainUtc } from '../../platform/clock.ts'

/** A template in a list, without what it holds. */
export function presentTemplate({ appId, uid, name, version, createdAt, updatedAt }: Template) {
  return { appId, uid, name, version, createdAt: plainUtc(createdAt), updatedAt: plainUtc(updatedAt) }
}

/** A template with its newest version; `uid`, `name`, `content`, `tags` and `sample` are a file that makes another like it. */
export function presentWholeTemplate(template: WholeTemplate) {
  const { createdAt, updatedAt, ...said } = presentTemplate(template)
  return { ...said, ...presentBody(template), createdAt, updatedAt }
}

export function presentVersion({ uid }: Pick<Template, 'uid'>, { version, createdAt, ...body }: TemplateVersion) {
  return { uid, version, ...presentBody(body), createdAt: plainUtc(createdAt) }
}

/** A version in a list, without what it holds. */
export function presentVersionLine({ version, createdAt }: Pick<TemplateVersion, 'version' | 'createdAt'>) {
  return { version, createdAt: plainUtc(createdAt) }
}

/** The finished document, as devices get it. */
export function presentRendered({ version, content }: Rendered) {
  return { version, content }
}

/** Starters by name -> a list of them, without their documents. */
export function presentStarters(starters: Readonly<Record<string, Starter>>) {
  return Object.entries(starters).map(([starter, { name, summary, tags, sample }]) => ({
    starter,
    name,
    summary,
    tags,
    sample,
  }))
}

function presentBody({ content, tags, sample }: TemplateBody) {
  return { content, tags, sample }
}
