import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import type { Click, DeepLink, LinkContent } from '../types.ts'

/** The part of a link that a visit needs. The URLs are ready for a header. */
export type VisitedLink = Pick<
  DeepLink,
  'id' | 'appId' | 'slug' | 'pictureUrl' | 'desktopWebFallbackUrl' | 'mobileWebFallbackUrl'
> & {
  content: LinkContent
  /** The label for the event of the visit; undefined when it is too long to be kept in memory for each visit. */
  label: Click['label']
}

/** Maximum length of a `reportingMeta` that is kept in memory with a click. */
const MAX_META_LENGTH = 500

interface VisitRow {
  id: number
  slug: string
  title: string | null
  description: string | null
  picture: string | null
  desktop: string
  mobile: string
  meta: string | null
}

const VISITED = `SELECT id, slug, title, description, picture_url AS picture,
    desktop_web_fallback_url AS desktop, mobile_web_fallback_url AS mobile, reporting_meta AS meta
  FROM deep_links`
const FIND = prepared<{ appId: number; slug: string }, VisitRow>(
  `${VISITED} WHERE app_id = :appId AND slug = :slug AND is_enabled`,
)

/** Tables: docs/reference/schema.md#deep_links. */
export function visitsRepository(sql: Sql) {
  const isAmong = isPostgres(sql) ? 'slug = ANY(?)' : 'slug IN (SELECT value FROM json_each(?))'
  const among = `${VISITED} WHERE app_id = ? AND ${isAmong} AND is_enabled`

  return {
    /** Reads one link synchronously. Absent on PostgreSQL. */
    findNow: isPostgres(sql)
      ? undefined
      : (appId: number, slug: string) => toVisited(appId, FIND.firstNow(sql, { appId, slug })),

    /** Reads these links in one statement, in no order. The cost is that of a statement, not of the links. */
    async find(appId: number, slugs: readonly string[]): Promise<VisitedLink[]> {
      const list = isPostgres(sql) ? (slugs as unknown as string) : JSON.stringify(slugs)
      const rows = rowsOf<VisitRow>(await sql.raw(among, [appId, list]))
      return rows.map((row) => toVisited(appId, row)!)
    },
  }
}

function toVisited(appId: number, row: VisitRow | undefined): VisitedLink | undefined {
  if (!row) return undefined
  const { id, slug, title, description, picture, desktop, mobile, meta } = row
  return {
    id,
    appId,
    slug,
    content: { ...(title !== null && { title }), ...(description !== null && { description }) },
    pictureUrl: picture,
    desktopWebFallbackUrl: headerForm(desktop),
    mobileWebFallbackUrl: headerForm(mobile),
    label: meta === null || meta.length <= MAX_META_LENGTH ? { slug, reportingMeta: meta } : undefined,
  }
}

/**
 * URLs that need no conversion for a header. Most are such, and parsing a URL takes longer than reading it from the
 * database.
 */
const PLAIN = /^https?:\/\/[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+\/(?:[\w~!$&()*+,;=:@/?%-]|(?<!\/)\.)*$/

function headerForm(url: string): string {
  return PLAIN.test(url) ? url : new URL(url).href
}
