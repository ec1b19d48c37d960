import { api } from '../../../api/client.ts'
import { type Loaded, useLoad } from '../../../api/load.ts'
import type { Option } from '../../../parts/field.tsx'
import type { LookUp } from './rows.ts'
import { INSTALL, member, pathBelow, wordsOf } from './template.ts'

/** Values that the send itself gives. */
export interface Given {
  /** Names of the values that `userMeta` gives; undefined where it has none. */
  meta: readonly string[] | undefined
  lookups: readonly LookUp[]
}

/** A table that look-ups may read, with its columns. */
export interface LookUpTable {
  alias: string
  name: string
  columns: readonly { name: string; isKey: boolean }[]
}

const LIMIT = 200
/** The option for an attribute that no user of those who were looked at has. */
export const OTHER = 'user.attributes'

async function tablesOf(appId: number, signal: AbortSignal): Promise<LookUpTable[]> {
  const { items } = await api.get('/admin/v1/apps/{appId}/tables', {
    path: { appId },
    query: { limit: LIMIT },
    signal,
  })
  return items.map(({ alias, name, columns }) => ({
    alias,
    name,
    columns: columns.map((one) => ({ name: one.name, isKey: one.unique || one.indexed })),
  }))
}

/** The data tables of an app. */
export const useTables = (appId: number): Loaded<LookUpTable[]> => useLoad((signal) => tablesOf(appId, signal), [appId])

const said = (path: string): Option => ({ value: path, label: sentence(wordsOf(path)) })
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Values that a text can show, grouped. Attributes and columns of tables are those that the app has. */
export function useOffered(appId: number, { meta, lookups }: Given): Loaded<Option[]> {
  return useLoad(
    async (signal) => {
      const path = { appId }
      const [suggested, tables] = await Promise.all([
        // A value can be named all the same.
        api.get('/admin/v1/apps/{appId}/segment-suggestions', { path, signal }).catch(() => undefined),
        lookups.length === 0 ? [] : tablesOf(appId, signal).catch(() => []),
      ])
      const columnsOf = (table: string) => tables.find(({ alias, name }) => alias === table || name === table)?.columns
      const grouped = (group: string, options: readonly Option[]) => options.map((one) => ({ ...one, group }))
      return [
        ...grouped('The person', [
          ...(suggested?.attributes ?? []).map(({ field }) => said(pathBelow('user', field))),
          { value: OTHER, label: 'Another attribute' },
          said('user.identifier'),
        ]),
        ...grouped(
          'This push',
          (meta ?? []).map((name) => said(member('meta', name))),
        ),
        ...lookups.flatMap(({ name, table }) =>
          grouped(
            `Look-up ${name}`,
            (columnsOf(table) ?? []).map((column) => said(member(`lookup.${name}`, column.name))),
          ),
        ),
        ...grouped(
          'The device',
          Object.keys(INSTALL).map((name) => said(`install.${name}`)),
        ),
        ...grouped('The app', [said('app.name'), said('now')]),
      ]
    },
    [appId, JSON.stringify([meta, lookups])],
  )
}
