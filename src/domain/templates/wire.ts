import { type Base, once } from '../../platform/wiring.ts'
import { templatesRepository } from './repository.ts'
import { templatesService } from './service.ts'

export type TemplatesWire = ReturnType<typeof wireTemplates>

/** Templates of in-app messages. */
export function wireTemplates({ sql, clock }: Base) {
  const templates = once(() => templatesService({ repo: templatesRepository(sql), clock }))
  return { templates }
}
