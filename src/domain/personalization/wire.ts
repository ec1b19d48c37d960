import { type Base, once } from '../../platform/wiring.ts'
import { peopleRepository } from './people/people.repository.ts'

export type PersonalizationWire = ReturnType<typeof wirePersonalization>

/** The facts about people that texts may show. */
export function wirePersonalization({ sql }: Pick<Base, 'sql'>) {
  return { people: once(() => peopleRepository(sql)) }
}
