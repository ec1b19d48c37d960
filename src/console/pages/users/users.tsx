import { useSignal } from '@preact/signals'
import { Users as UsersIcon } from 'lucide'
import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { useFilledList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { platformName } from '../../parts/platforms.ts'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query, setQuery } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { SearchBox } from './search-box.tsx'
import type { FoundProfile } from './types.ts'

const PAGE = 50
/** Maximum number of calls in a row by which a search for an attribute fills a page. Each call looks for a moment only. */
const MOST_ROUNDS = 400

/**
 * Reads the users that fit a search, page by page. A search by an attribute goes on by itself until a page is full; `isSlow` while it
 * does.
 */
function useFoundUsers(appId: number, q: string) {
  const total = useSignal<number | null>(null)
  const understood = useSignal<string | undefined>(undefined)
  useEffect(() => void (understood.value = undefined), [appId, q])
  const list = useFilledList<FoundProfile, string>(
    async (after, limit, signal) => {
      const page = await api.get('/admin/v1/apps/{appId}/profiles', {
        path: { appId },
        query: { q, limit, ...(after !== null && { after: Number(after) }) },
        signal,
      })
      if (after === null) total.value = page.total
      understood.value = page.understood.kind
      return page
    },
    { most: PAGE, rounds: MOST_ROUNDS },
    [appId, q],
  )
  const isSlow = understood.value === 'attribute' && list.isLoading.value
  return { list, total: total.value, isSlow }
}

/** Users: everybody, or those who fit a search. */
export default function Users({ appId }: PageProps) {
  const q = query.value.get('q') ?? ''
  const isMasked = !may('operate', appId) && !may('campaign', appId)
  const { list, total, isSlow } = useFoundUsers(appId, q)
  return (
    <div class="page">
      <PageHead
        title="Users"
        about={
          total === null || q !== ''
            ? 'Everybody who uses the app, and everybody whom your server knows.'
            : `${formatNumber(total)} ${total === 1 ? 'person uses' : 'people use'} the app, or are known to your server.`
        }
      />
      <SearchBox appId={appId} isMasked={isMasked} />
      {isMasked && (
        <Note title="Personal data is masked for you.">
          <span>You find a user by their whole identifier or install id, and see everything but who they are.</span>
        </Note>
      )}
      {isSlow && (
        <p class="quiet small-text" role="status">
          Looking through all users for this attribute. This may take some seconds with very many of them.
        </p>
      )}
      <Card isFlush>
        <ListTable
          label="Users"
          list={list}
          keyOf={({ id }) => id}
          empty={
            q === ''
              ? {
                  icon: UsersIcon,
                  title: 'No users yet',
                  about:
                    'They appear when the app starts with its SDK for the first time, or when your server writes attributes.',
                }
              : {
                  icon: UsersIcon,
                  title: 'Nobody fits',
                  about: 'Try the beginning of an identifier, a whole install id, or an attribute such as plan = gold.',
                  action: <Button onClick={() => setQuery({ q: undefined })}>Show everybody</Button>,
                }
          }
          columns={[
            {
              title: 'User',
              cell: ({ id, identifier, known }) => (
                <span class="user-cell">
                  <a class="cell-link user-name" href={href(`/apps/${appId}/users/${id}`)}>
                    {identifier}
                  </a>
                  {!known && <Badge isPlain>anonymous</Badge>}
                </span>
              ),
            },
            { title: 'Attributes', isMinor: true, cell: ({ attributes }) => <ShortAttributes of={attributes} /> },
            {
              title: 'Devices',
              cell: ({ platforms, installs }) =>
                installs === 0 ? (
                  <span class="quiet">none</span>
                ) : (
                  platforms.map(platformName).join(', ') || `${installs}`
                ),
            },
            {
              title: 'Push',
              cell: ({ installs, subscribed }) =>
                installs === 0 ? (
                  <span class="quiet">–</span>
                ) : subscribed > 0 ? (
                  <Badge tone="good">{installs === 1 ? 'on' : `on ${subscribed} of ${installs}`}</Badge>
                ) : (
                  <Badge>off</Badge>
                ),
              isTight: true,
            },
            { title: 'Last active', cell: ({ lastActive }) => <Time at={lastActive} />, isTight: true },
          ]}
        />
      </Card>
      <AsCommand
        command={commandOf(appId, q)}
        call={{
          method: 'GET',
          path: `/admin/v1/apps/${appId}/profiles${q === '' ? '' : `?${new URLSearchParams({ q })}`}`,
        }}
      />
    </div>
  )
}

/** The command knows equal attributes; names it shows one by one. */
function commandOf(appId: number, q: string): string | undefined {
  if (q === '') return command`users list --app ${appId}`
  const [, name, value] = /^([^=!<>~]+?)\s*=\s*(.+)$/.exec(q) ?? []
  if (name !== undefined) return command`users list --app ${appId} --attribute ${`${name}=${value}`}`
  return /[!<>~]/.test(q) ? undefined : command`users show ${q} --app ${appId}`
}

const SHOWN = 3
const LONGEST = 28

/** The first attributes that are short enough to tell people apart. */
function ShortAttributes({ of }: { of: Record<string, unknown> }) {
  const all = Object.entries(of)
  const shown = all.filter(([, value]) => typeof value !== 'object').slice(0, SHOWN)
  if (all.length === 0) return <span class="quiet">–</span>
  return (
    <span class="chips">
      {shown.map(([name, value]) => (
        <span key={name} class="chip">
          <span class="quiet">{name}</span> {cut(String(value))}
        </span>
      ))}
      {all.length > shown.length && (
        <span class="quiet small-text">
          +<Num value={all.length - shown.length} />
        </span>
      )}
    </span>
  )
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text)
