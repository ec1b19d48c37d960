import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../../../platform/db/connect.ts'
import { shownPlatformOf } from '../../crm/store/transport.ts'
import type { Install } from '../../crm/types.ts'
import type { Platform } from '../../gateways/registry.ts'

/** Reports of devices that one statement reads. */
const LOOKED_AT = 1000
/** Reports of which the groups of openers are made: they are a sample of a larger send. */
const MOST_GROUPED = 5000
/** Groups that are shown, the largest first. */
const MOST_GROUPS = 20

/** An install that opened a notification. Its device is as it is now. */
export interface Opener {
  row: number
  userId: string
  /** Null once the install is gone. */
  installId: string | null
  openedAt: number
  platform: Platform | null
  appVersion: string | null
  locale: string | null
}

/** Openers with the same version of the app, or language. */
export interface OpenerGroup {
  name: string | null
  opened: number
}

export interface OpenerGroups {
  /** The openers that were looked at. */
  opened: number
  /** False when there are more. */
  isWhole: boolean
  versions: OpenerGroup[]
  languages: OpenerGroup[]
}

type OpenerRow = Omit<Opener, 'platform' | 'openedAt'> &
  Pick<Install, 'platform' | 'runsIn'> & { openedAt: number | null }

export type OpenersRepository = ReturnType<typeof openersRepository>

/** Reads who opened a notification. Tables: docs/reference/schema.md#notification_opens, #installs. */
export function openersRepository(sql: Sql) {
  /** Reports of devices about a notification in the order of their installs, also of those that only got it. */
  const reports = (appId: number, id: number, after: number): Promise<OpenerRow[]> =>
    sql('notification_opens as o')
      .leftJoin('installs as i', 'i.id', 'o.install_row')
      .where({ 'o.app_id': appId, 'o.notification_id': id })
      .where('o.install_row', '>', after)
      .orderBy('o.install_row')
      .limit(LOOKED_AT)
      .select(
        'o.install_row as row',
        'o.user_identifier as userId',
        'i.install_id as installId',
        'o.opened_at as openedAt',
        'i.platform as platform',
        'i.runs_in as runsIn',
        'i.app_version as appVersion',
        'i.locale as locale',
      )

  const openersOf = (rows: readonly OpenerRow[]): Opener[] =>
    rows.flatMap(({ openedAt, platform, runsIn, ...row }) =>
      openedAt === null ? [] : { ...row, openedAt, platform: shownPlatformOf({ platform, runsIn }) },
    )

  return {
    /**
     * A page of the openers, behind the install `after`; `next` is the `after` of the next one. It looks at so many reports, so it
     * may have fewer than `limit`, or none.
     */
    async page(appId: number, id: number, { after = 0, limit }: { after?: number | undefined; limit: number }) {
      const rows = await reports(appId, id, after)
      const found = openersOf(rows)
      const items = found.slice(0, limit)
      const last = items.length < found.length ? items.at(-1) : rows.length < LOOKED_AT ? undefined : rows.at(-1)
      return { items, next: last?.row ?? null }
    },

    /** Openers by version of the app and by language of the device. Other work of the thread runs in between. */
    async groups(appId: number, id: number): Promise<OpenerGroups> {
      const found: Opener[] = []
      let isWhole = false
      let after = 0
      for (let looked = 0; !isWhole && looked < MOST_GROUPED; looked += LOOKED_AT) {
        const rows = await reports(appId, id, after)
        found.push(...openersOf(rows))
        isWhole = rows.length < LOOKED_AT
        after = rows.at(-1)?.row ?? after
        await setImmediate()
      }
      const versions = grouped(found.map(({ appVersion }) => appVersion))
      const languages = grouped(found.map(({ locale }) => locale?.split(/[-_]/)[0]?.toLowerCase() ?? null))
      return { opened: found.length, isWhole, versions, languages }
    },
  }
}

/** The largest groups of the same name. */
function grouped(names: readonly (string | null)[]): OpenerGroup[] {
  const groups = [...Map.groupBy(names, (name) => name)].map(([name, some]) => ({ name, opened: some.length }))
  return groups.sort((a, b) => b.opened - a.opened).slice(0, MOST_GROUPS)
}
