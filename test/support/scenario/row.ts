import type { Stage } from './stage.ts'

/** One call of the scenario: of a route, a job, an event or a command. */
export interface Row {
  /** The covered thing: `get crm /v2/users`, `event k.fg`, `job dispatch`, `sweep taps.forget`, `cli apps.list`. */
  covers: string
  /** The case, where there are several. */
  what: string
  /** Prepares one call. */
  act(stage: Stage): Promise<Act>
  /** The reason why its answer, and so its cost, is larger with more installs. */
  larger?: string
  /** The number of times that the bench may call it; default: as often as it likes. */
  most?: number
}

interface Act {
  /** The measured part. */
  run(): Promise<unknown>
  /** Takes back rows that later calls would find. */
  after?(): Promise<unknown>
}

type More = Partial<Pick<Row, 'what' | 'larger' | 'most'>>

/** A row that needs nothing before it. */
export function row(covers: string, run: (stage: Stage) => Promise<unknown>, more: More = {}): Row {
  return { covers, what: '', ...more, act: async (stage) => ({ run: () => run(stage) }) }
}

interface Made<T> extends More {
  /** Takes back rows that later calls would find. */
  after?(stage: Stage, made: T): Promise<unknown>
}

/** A row that first makes its material. */
export function rowOf<T>(
  covers: string,
  prepare: (stage: Stage) => Promise<T>,
  run: (stage: Stage, made: T) => Promise<unknown>,
  { after, ...more }: Made<T> = {},
): Row {
  return {
    covers,
    what: '',
    ...more,
    async act(stage) {
      const made = await prepare(stage)
      return { run: () => run(stage, made), ...(after && { after: () => after(stage, made) }) }
    },
  }
}

/** The name of a row: unique in the scenario. */
export function nameOf({ covers, what }: Pick<Row, 'covers' | 'what'>): string {
  return what === '' ? covers : `${covers}: ${what}`
}
