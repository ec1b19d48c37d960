import { useSignal } from '@preact/signals'
import { Download, Send, Trash2, Upload, Users as UsersIcon } from 'lucide'
import { useEffect } from 'preact/hooks'
import { addressOf, api, call } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useFilledList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { SelectField } from '../../parts/field.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { Menu, toast } from '../../parts/overlays.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { command } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query, setQuery } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { type Chosen, userColumns } from './columns.tsx'
import { type Deed, Many } from './many.tsx'
import { SearchBox } from './search-box.tsx'
import type { FoundProfile } from './types.ts'

const PAGE = 50
/** Maximum number of calls in a row by which a search for an attribute fills a page. Each call looks for a moment only. */
const MOST_ROUNDS = 400

const SORTS = [
  { value: '-created', label: 'Newest first' },
  { value: 'created', label: 'Oldest first' },
  { value: 'identifier', label: 'User id, A to Z' },
  { value: '-identifier', label: 'User id, Z to A' },
  { value: '-lastActive', label: 'Last active first' },
] as const
type Sort = (typeof SORTS)[number]['value']

/**
 * Reads the users that fit a search, page by page. A search that looks at everybody goes on by itself until a page is full; `isSlow`
 * while it does.
 */
function useFoundUsers(appId: number, q: string, sort: Sort) {
  const isScan = useSignal(false)
  useEffect(() => void (isScan.value = false), [appId, q])
  const list = useFilledList<FoundProfile, string>(
    async (after, limit, signal) => {
      const page = await api.get('/admin/v1/apps/{appId}/profiles', {
        path: { appId },
        query: { q, limit, sort, ...(after !== null && { after }) },
        signal,
      })
      isScan.value = page.understood.kind === 'attribute' || isInside(page.next)
      return page
    },
    // Those whose name begins with it are there at once.
    { most: PAGE, rounds: MOST_ROUNDS, rests: (next) => next === INSIDE_START },
    [appId, q, sort],
  )
  return { list, isSlow: isScan.value && list.isLoading.value }
}

/** The cursor at which those are looked for who have the text inside of a word. */
const INSIDE_START = 'in:0'
const isInside = (next: string | null): boolean => next?.startsWith('in:') ?? false

/** Counts who fits, part by part; `isWhole` once everybody was looked at. It stays while people read on. */
function useCount(appId: number, q: string, changes: number) {
  const found = useSignal({ count: 0, isWhole: false })
  useEffect(() => {
    const controller = new AbortController()
    const count = async () => {
      found.value = { count: 0, isWhole: false }
      let after: string | undefined
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const query = { q, after }
        const { signal } = controller
        const part = await api.get('/admin/v1/apps/{appId}/profiles/count', { path: { appId }, query, signal })
        found.value = { count: found.peek().count + part.count, isWhole: part.next === null }
        if (part.next === null) return
        after = part.next
      }
    }
    // The list itself says what is wrong.
    count().catch(() => {})
    return () => controller.abort()
  }, [appId, q, changes])
  return found.value
}

const NOBODY: ReadonlyMap<number, string> = new Map()

/** The ticks of a list; another search has none. */
function useChosen(appId: number, q: string): Chosen & { clear(): void } {
  const place = `${appId} ${q}`
  const chosen = useSignal({ place, users: NOBODY })
  const usersOf = (all: { place: string; users: ReadonlyMap<number, string> }) =>
    all.place === place ? all.users : NOBODY
  const keep = (next: ReadonlyMap<number, string>) => void (chosen.value = { place, users: next })
  return {
    users: usersOf(chosen.value),
    clear: () => keep(NOBODY),
    choose({ id, identifier }) {
      const next = new Map(usersOf(chosen.peek()))
      if (!next.delete(id)) next.set(id, identifier)
      keep(next)
    },
  }
}

/** Users: everybody, or those who fit a search. */
export default function Users({ appId }: PageProps) {
  const q = query.value.get('q') ?? ''
  const sort = SORTS.find(({ value }) => value === query.value.get('sort'))?.value ?? '-created'
  const mayOperate = may('operate', appId)
  const isMasked = !mayOperate && !may('campaign', appId)
  const { list, isSlow } = useFoundUsers(appId, q, sort)
  const changes = useSignal(0)
  const { count, isWhole } = useCount(appId, q, changes.value)
  const chosen = useChosen(appId, q)
  const deed = useSignal<Deed | undefined>(undefined)
  const number = `${isWhole ? '' : 'at least '}${formatNumber(count)}`
  const { users } = chosen
  return (
    <div class="page">
      <PageHead
        title="Users"
        about={
          q === '' && isWhole
            ? `${number} ${count === 1 ? 'person uses' : 'people use'} the app, or are known to your server.`
            : 'Everybody who uses the app, and everybody whom your server knows.'
        }
        actions={
          mayOperate && (
            <>
              <Button icon={Upload} href={href(`/apps/${appId}/users/import`)}>
                Import
              </Button>
              <Button icon={Download} onClick={() => void exportUsers(appId, q)}>
                Export as CSV
              </Button>
            </>
          )
        }
      />
      <SearchBox appId={appId} isMasked={isMasked} />
      <div class="row spread">
        {q === '' ? (
          <SelectField
            label="Order"
            value={sort}
            options={isMasked ? SORTS.filter(({ value }) => !value.endsWith('identifier')) : SORTS}
            onChange={(value) => setQuery({ sort: value })}
          />
        ) : (
          <p role="status">
            {count === 0 && !isWhole
              ? 'Counting …'
              : count === 1 && isWhole
                ? '1 user fits.'
                : `${number[0]!.toUpperCase()}${number.slice(1)} users fit.`}
          </p>
        )}
        {!isMasked && (q !== '' || users.size > 0) && (
          <Menu
            look="button"
            label={users.size > 0 ? `With ${formatNumber(users.size)} chosen` : 'With all who fit'}
            items={DEEDS.flatMap(({ deed: one, right, ...item }) =>
              may(right, appId) ? [{ ...item, run: () => void (deed.value = one) }] : [],
            )}
          />
        )}
      </div>
      {deed.value && (
        <Many
          appId={appId}
          deed={deed.value}
          chosen={
            users.size > 0
              ? { userIds: [...users.values()], q, count: users.size }
              : { userIds: undefined, q, count: isWhole ? count : null }
          }
          onClose={() => void (deed.value = undefined)}
          onDone={() => {
            chosen.clear()
            changes.value++
            list.reload()
          }}
        />
      )}
      {isMasked && (
        <Note title="Personal data is masked for you.">
          <span>You find a user by their whole identifier or install id, and see everything but who they are.</span>
        </Note>
      )}
      {isSlow && (
        <p class="quiet small-text" role="status">
          Looking through all users. This may take some seconds with very many of them.
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
                  about:
                    'Try a part of an identifier or of a value, a whole install id, or an attribute such as plan = gold.',
                  action: <Button onClick={() => setQuery({ q: undefined })}>Show everybody</Button>,
                }
          }
          columns={userColumns(appId, isMasked ? undefined : chosen)}
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

const DEEDS = [
  { deed: 'push', right: 'campaign', label: 'Send a push', icon: Send },
  { deed: 'subscribe', right: 'campaign', label: 'Subscribe to a channel' },
  { deed: 'unsubscribe', right: 'campaign', label: 'Unsubscribe from a channel' },
  { deed: 'attribute', right: 'operate', label: 'Set an attribute' },
  { deed: 'erase', right: 'operate', label: 'Erase', icon: Trash2, tone: 'danger', isApart: true },
] as const

/** Saves who fits as a file. The browser takes it from the server piece by piece. */
async function exportUsers(appId: number, q: string): Promise<void> {
  const address = addressOf('/admin/v1/apps/{appId}/profiles/export', {
    path: { appId: String(appId) },
    query: { q },
  })
  try {
    const text = await call('get', address)
    saveFile('users.csv', String(text), 'text/csv')
    toast('The file is saved.')
  } catch (error) {
    toast(messageOf(error))
  }
}

/** The command knows equal attributes; names it shows one by one. */
function commandOf(appId: number, q: string): string | undefined {
  if (q === '') return command`users list --app ${appId}`
  const [, name, value] = /^([^=!<>~]+?)\s*=\s*(.+)$/.exec(q) ?? []
  if (name !== undefined) return command`users list --app ${appId} --attribute ${`${name}=${value}`}`
  return /[!<>~]/.test(q) ? undefined : command`users show ${q} --app ${appId}`
}
