import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import { figuresRepository } from './repository.ts'
import { figuresService } from './service.ts'

export type FiguresWire = ReturnType<typeof wireFigures>

/** Counts of pushes by hour, of visits by day, and of installs, kept as they happen. */
export function wireFigures({ sql, clock }: Base) {
  const repo = once(() => figuresRepository(sql))
  const figures = once(() => figuresService({ repo: repo(), clock }))
  const clearings = (): Clearing[] => [repo().clearApp]
  return { figures, clearings }
}
