import { type Base, once } from '../../platform/wiring.ts'
import { loadRepository } from './repository.ts'
import { loadService } from './service.ts'

/** Work and size of the server over time. */
export function wireLoad({ sql, clock }: Base) {
  return { load: once(() => loadService({ repo: loadRepository(sql), clock })) }
}
