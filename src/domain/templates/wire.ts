import { type Base, once } from '../../platform/wiring.ts'
import { templatesRepository } from './repository.ts'
import { type TemplatesParts, templatesService } from './service.ts'

export type TemplatesWire = ReturnType<typeof wireTemplates>

/** Templates of in-app messages. */
export function wireTemplates({ sql, clock }: Base, { deleted }: Pick<TemplatesParts, 'deleted'>) {
  const templates = once(() => templatesService({ repo: templatesRepository(sql), clock, deleted }))
  return { templates }
}
