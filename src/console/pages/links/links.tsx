import { Link2, Plus, Settings } from 'lucide'
import { useGet, usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { SearchField } from '../../parts/field.tsx'
import { Badge, Card, Empty, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { type Column, ListTable, Table } from '../../parts/table.tsx'
import { Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query, setQuery } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { type Link, nameOf, STATES, shortUrl } from './words.ts'

const PAGE = 100

/** The deep links of an app, oldest first, with their counts. */
export default function Links({ appId }: PageProps) {
  const q = query.value.get('q') ?? ''
  const list = usePages('/admin/v1/apps/{appId}/deep-links', { path: { appId }, query: { limit: PAGE } }, 'deepLinks')
  const columns = columnsFor(appId)
  const isEmpty = list.value.value?.length === 0
  const create = may('campaign', appId) && (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/links/new`)}>
      New link
    </Button>
  )
  return (
    <div class="page">
      <PageHead
        title="Links"
        about="Short links that open the app at a certain place, and lead through the store whoever does not have it yet."
        actions={
          <>
            <Button icon={Settings} href={href(`/apps/${appId}/links/settings`)}>
              Settings
            </Button>
            {!isEmpty && create}
          </>
        }
      />
      {!isEmpty && <SearchField label="Search by name or link" value={q} onChange={(text) => setQuery({ q: text })} />}
      <Card isFlush>
        {q.trim() === '' ? (
          <ListTable
            label="Links"
            list={list}
            keyOf={({ id }) => id}
            columns={columns}
            empty={{
              icon: Link2,
              title: 'No links yet',
              about: 'A link opens an offer, an article or an invitation in the app, and counts who followed it.',
              action: create,
            }}
          />
        ) : (
          <Found {...{ appId, q: q.trim(), columns }} loaded={list.value.value ?? []} hasMore={list.hasMore.value} />
        )}
      </Card>
    </div>
  )
}

interface FoundProps {
  appId: number
  q: string
  columns: readonly Column<Link>[]
  loaded: readonly Link[]
  hasMore: boolean
}

/**
 * Results of a search: loaded links that contain the text, and before them any other link with exactly that address, slug or
 * id.
 */
function Found({ appId, q, columns, loaded, hasMore }: FoundProps) {
  const exact = useGet('/admin/v1/apps/{appId}/link-search', { path: { appId }, query: { q } })
  const wanted = q.toLowerCase()
  const fits = loaded.filter(({ url, content }) => `${url} ${content.title ?? ''}`.toLowerCase().includes(wanted))
  const others = (exact.value.value?.items ?? []).filter(({ id }) => !fits.some((one) => one.id === id))
  const rows = [...others, ...fits]
  if (exact.error.value !== undefined) return <Failed error={exact.error.value} retry={exact.reload} />
  if (rows.length === 0 && exact.isLoading.value) {
    return (
      <div class="links-wait">
        <Skeleton />
      </div>
    )
  }
  return (
    <Table
      label="Links that were found"
      rows={rows}
      keyOf={({ id }) => id}
      columns={columns}
      empty={
        <Empty icon={Link2} title={`No link has “${q}”`}>
          {hasMore
            ? 'The links on the pages that are not shown yet are found by their whole link, slug or number.'
            : 'Look for a part of its name or its link.'}
        </Empty>
      }
    />
  )
}

const columnsFor = (appId: number): Column<Link>[] => [
  {
    title: 'Link',
    cell: (link) => (
      <div class="links-name">
        <a class="cell-link" href={href(`/apps/${appId}/links/${link.id}`)}>
          {nameOf(link)}
        </a>
        <span class="quiet small-text">{shortUrl(link.url)}</span>
      </div>
    ),
  },
  {
    title: 'State',
    cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>,
    isTight: true,
  },
  { title: 'Clicks', cell: ({ clicks }) => <Num value={clicks} />, isNumeric: true },
  { title: 'App opens', cell: ({ lookups }) => <Num value={lookups} />, isNumeric: true },
  {
    title: 'Expires',
    isMinor: true,
    cell: ({ expiresAt }) => (expiresAt === null ? <span class="quiet">Never</span> : <Time at={expiresAt} isDue />),
  },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
]
