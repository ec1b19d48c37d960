import { AppError, invalid } from '../../../platform/errors.ts'
import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import type { Column, Table, TableChange } from '../types.ts'
import type { BlocksRepository } from './blocks.repository.ts'
import type { Ddl } from './ddl.ts'
import { isIndexed } from './names.ts'
import type { RegistryRepository } from './registry.repository.ts'

/** What one change would do, in sentences. */
export interface Consequence {
  do: TableChange['do']
  column: string
  /** What becomes of the records, and what callers notice. */
  effects: string[]
  /** Why the change would be refused as things are; empty when it would not be. */
  obstacles: string[]
}

/** What changes of a table would do. */
export interface TableConsequences {
  /** How many records the table has. */
  records: number
  changes: Consequence[]
  /** About how long the table is locked, in seconds, rounded up; 0 for less than a tenth. */
  seconds: number
  /** True where the server answers nothing else meanwhile: SQLite works in its own thread. */
  stopsServer: boolean
}

/** Records in a second: two thirds of what SQLite did with a million records of a hundred bytes on the machine of the benches. */
const RATES = { index: 1_000_000, rewrite: 1_100_000 }

interface Parts {
  registry: Pick<RegistryRepository, 'find' | 'list'>
  ddl: Pick<Ddl, 'countEmpty' | 'countRepeated'>
  blocks: Pick<BlocksRepository, 'census'>
  /** `limits.tableScan`. */
  scanLimit: number
  isOneThread: boolean
}

const some = (n: number) => `${n.toLocaleString('en-US')} ${n === 1 ? 'record' : 'records'}`

/** Tells what changes of a table would do, before anybody makes them. */
export function consequencesOf({ registry, ddl, blocks, scanLimit, isOneThread }: Parts) {
  async function find(appId: number, ref: string): Promise<Table | undefined> {
    return (await registry.find(appId, { alias: ref })) ?? registry.find(appId, { name: ref })
  }

  /** The obstacles in the records: values that are missing or occur twice. */
  async function obstaclesOf(table: Table, before: Column, after: { required: boolean; unique: boolean }) {
    const empty = after.required && !before.required ? await ddl.countEmpty(table, before) : 0
    const repeated = after.unique && !before.unique ? await ddl.countRepeated(table, before) : 0
    return [
      ...(empty > 0 ? [`${some(empty)} ${empty === 1 ? 'has' : 'have'} no ${before.name}: fill them first.`] : []),
      ...(repeated > 0 ? [`${repeated} ${repeated === 1 ? 'value occurs' : 'values occur'} more than once.`] : []),
    ]
  }

  const slowWithout = (name: string, records: number) =>
    records > scanLimit
      ? `Lists that filter or sort by ${name} are refused (503) when they would have to look at more than ${some(scanLimit)}.`
      : `Lists that filter or sort by ${name} become slower, and are refused (503) once they would have to look at more than ${some(scanLimit)}.`

  async function foresee(table: Table, change: TableChange, records: number): Promise<[Consequence, seconds: number]> {
    const name = change.do === 'add' ? change.column.name : change.name
    const made = (effects: string[], obstacles: string[] = [], seconds = 0): [Consequence, number] => [
      { do: change.do, column: name, effects, obstacles },
      seconds,
    ]
    const indexing = records / RATES.index
    if (change.do === 'add') {
      const { required, unique, default: value } = change.column
      const filled =
        value === null
          ? `The ${some(records)} of the table have no ${name} at first.`
          : `The ${some(records)} of the table get ${JSON.stringify(value)}.`
      const callers = required && value === null ? [`Callers that create records must send ${name} from now on.`] : []
      const obstacles = [
        ...(required && value === null && records > 0
          ? [
              'It is required, and there are records: give it a default, or add it as optional, fill it and require it then.',
            ]
          : []),
        ...(unique && value !== null && records > 0
          ? ['It is unique, but all records would get the same default.']
          : []),
      ]
      return made([filled, ...callers], obstacles, isIndexed(change.column) ? indexing : 0)
    }
    const column = table.columns.find((one) => one.name === change.name)
    if (!column) throw invalid({ [change.name]: [`is not a column of the table ${table.name}`] })
    if (change.do === 'drop') {
      const refused = `Callers and apps that send ${name}, filter or sort by it are refused; those that read it find nothing.`
      const gone = `The values of ${name} in ${some(records)} are deleted. Nothing brings them back.`
      return made([gone, refused], [], isOneThread ? records / RATES.rewrite : 0)
    }
    if (change.do === 'rename') {
      const effects = [
        'The values stay.',
        `Callers and apps that send or read ${name} must use ${change.to} at once: ${name} is refused from then on.`,
      ]
      return made(effects)
    }
    const { required = column.required, unique = column.unique, indexed = column.indexed } = change
    const [was, is] = [isIndexed(column), isIndexed({ ...column, unique, indexed })]
    const effects = [
      ...(required && !column.required ? [`Callers that create records must send ${name} from now on.`] : []),
      ...(!required && column.required ? [`Records may lack ${name} from now on.`] : []),
      ...(unique && !column.unique ? [`A record whose ${name} exists already is refused.`] : []),
      ...(!unique && column.unique ? [`Several records may have the same ${name}.`] : []),
      ...(is && !was ? [`Lists that filter or sort by ${name} are quick; writing a record costs a little more.`] : []),
      ...(was && !is ? [slowWithout(name, records)] : []),
      ...(change.default === undefined
        ? []
        : [
            change.default === null
              ? `New records without ${name} have none.`
              : `New records without ${name} get ${JSON.stringify(change.default)}; existing ones stay as they are.`,
          ]),
    ]
    const obstacles = await obstaclesOf(table, column, { required, unique })
    return made(effects, obstacles, (is && !was) || unique !== column.unique ? indexing : 0)
  }

  return {
    /** Of changes of a table, by alias or name. Throws `not_found`, and `invalid` for a column that is not there. */
    async of(
      appId: number,
      ref: string,
      changes: readonly TableChange[],
      pace: Pace = unhurried,
    ): Promise<TableConsequences> {
      const table = await find(appId, ref)
      if (!table) throw new AppError('not_found', `there is no table ${JSON.stringify(ref)}`)
      const records = (await blocks.census(table)).total
      const found: Consequence[] = []
      let seconds = 0
      for (const change of changes) {
        await pace.turn()
        const [consequence, more] = await foresee(table, change, records)
        found.push(consequence)
        seconds += more
      }
      const rounded = seconds < 0.1 ? 0 : Math.ceil(seconds)
      return { records, changes: found, seconds: rounded, stopsServer: isOneThread && rounded > 0 }
    },
  }
}
