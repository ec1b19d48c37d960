import type { Database, Sql } from '../../../platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../../platform/db/dialect.ts'
import type { Click, DeepLink, LinkContent } from '../types.ts'

/** What a visit needs of a link. The addresses are as a header takes them. */
export type VisitedLink = Pick<DeepLink, 'id' | 'appId' | 'slug' | 'desktopWebFallbackUrl' | 'mobileWebFallbackUrl'> & {
  content: LinkContent
  /** For the event of the visit; undefined when it is too long to be kept for each visit. */
  label: Click['label']
}

/** Characters of `reportingMeta` that are kept with a visit until it is written. */
const LONGEST_META = 500

/** A link by what a visitor asks for. */
export interface VisitKey {
  appId: number
  slug: string
}

interface VisitRow {
  id: number
  slug: string
  title: string | null
  description: string | null
  desktop: string
  mobile: string
  meta: string | null
}

export type VisitsRepository = ReturnType<typeof visitsRepository>

/** `prepare` is that of the database, where it has it. */
export function visitsRepository(sql: Sql, prepare?: Database['prepare']) {
  const statement = (condition: string) => `SELECT id, slug, title, description,
      desktop_web_fallback_url AS desktop, mobile_web_fallback_url AS mobile, reporting_meta AS meta
    FROM deep_links WHERE app_id = ? AND ${condition}`
  const among = statement(isPostgres(sql) ? 'slug = ANY(?)' : 'slug IN (SELECT value FROM json_each(?))')
  const findRow = prepare?.(statement('slug = ?'))

  return {
    /** One link of the app, at once; absent where the database is on the other side of a wire. */
    findNow:
      findRow && ((appId: number, slug: string) => toVisited(appId, findRow(appId, slug) as VisitRow | undefined)),

    /** Those of the app's links, in no order, in one statement: what costs is the statement and not the link. */
    async find(appId: number, slugs: readonly string[]): Promise<VisitedLink[]> {
      const list = isPostgres(sql) ? (slugs as unknown as string) : JSON.stringify(slugs)
      const rows = rowsOf<VisitRow>(await sql.raw(among, [appId, list]))
      return rows.map((row) => toVisited(appId, row)!)
    },
  }
}

function toVisited(appId: number, row: VisitRow | undefined): VisitedLink | undefined {
  if (!row) return undefined
  const { id, slug, title, description, desktop, mobile, meta } = row
  return {
    id,
    appId,
    slug,
    content: { ...(title !== null && { title }), ...(description !== null && { description }) },
    desktopWebFallbackUrl: headerForm(desktop),
    mobileWebFallbackUrl: headerForm(mobile),
    label: meta === null || meta.length <= LONGEST_META ? { slug, reportingMeta: meta } : undefined,
  }
}

/** Most addresses are as a header takes them already, and parsing one takes longer than reading it from the database. */
const PLAIN = /^https?:\/\/[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+\/(?:[\w~!$&()*+,;=:@/?%-]|(?<!\/)\.)*$/

function headerForm(url: string): string {
  return PLAIN.test(url) ? url : new URL(url).href
}
