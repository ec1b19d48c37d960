import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import { labelsRepository } from './repository.ts'
import { type LabelsParts, labelsService } from './service.ts'

export type LabelsWire = ReturnType<typeof wireLabels>

/** Labels of pushes and in-app messages. What became of those, their own areas say. */
export function wireLabels({ sql }: Base, sums: Omit<LabelsParts, 'repo'>) {
  const repo = once(() => labelsRepository(sql))
  const labels = once(() => labelsService({ repo: repo(), ...sums }))
  const clearings = (): Clearing[] => [repo().clearApp]
  return { repo, labels, clearings }
}
