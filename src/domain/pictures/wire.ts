import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import { picturesRepository } from './repository.ts'
import { picturesService } from './service.ts'

export type PicturesWire = ReturnType<typeof wirePictures>

interface Needs {
  /** The port on which this program listens, for addresses without `baseUrl`. */
  port(): number
  /** Called after an app got another icon, or none. */
  iconChanged(): void
}

/** Pictures that pushes, in-app messages and links show. */
export function wirePictures({ sql, config, clock, afterCommit }: Base, { port, iconChanged }: Needs) {
  const repo = once(() => picturesRepository(sql))
  const pictures = once(() =>
    picturesService({
      repo: repo(),
      clock,
      iconChanged: () => afterCommit(iconChanged),
      limits: { count: config['limits.pictures'], bytes: config['limits.pictureBytes'] },
      base: () => (config.baseUrl === '' ? `http://localhost:${port()}` : config.baseUrl),
    }),
  )
  const clearings = (): Clearing[] => [repo().clearApp]
  return { pictures, clearings }
}
