import { useSignal } from '@preact/signals'
import { Zap } from 'lucide'
import { Filters } from '../../forms/filters.tsx'
import * as row from '../../forms/rows.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand, JsonView } from '../../parts/code.tsx'
import { isOwnType } from '../../parts/event-words.ts'
import { Switch } from '../../parts/field.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { usePaused } from '../../parts/use-paused.ts'
import { Copyable, KeyValues, More, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query, setQuery } from '../../state/router.ts'
import { counted } from '../delivery/words.ts'
import { useEvents } from './use-events.ts'
import { KINDS, type LoggedEvent, sayingOf, targetOf } from './words.ts'

const PAUSE_MS = 400
const SHOWN = [
  row.select('kind', 'Kind'),
  row.text('user', 'User id', { isMono: true }),
  row.text('install', 'Install id', { isMono: true }),
  row.text('q', 'Part of an id'),
]

/** The event log of an app, the newest first. It follows what comes while the page is in sight and no event is open. */
export default function Events({ appId }: PageProps) {
  const isLive = useSignal(true)
  const open = useSignal<LoggedEvent | undefined>(undefined)
  const typed = (name: string) => usePaused((query.value.get(name) ?? '').trim(), PAUSE_MS)
  const shown = { kind: query.value.get('kind') ?? '', user: typed('user'), install: typed('install'), q: typed('q') }
  const { list, waiting, show } = useEvents(appId, shown, !isLive.value || open.value !== undefined)
  const isFiltered = Object.values(shown).some((one) => one !== '')
  return (
    <div class="page">
      <PageHead
        title="Events"
        about="What devices and servers report, and what this server did, as it happens."
        actions={
          <>
            <span role="status">
              {waiting > 0 && <Button onClick={show}>Show {counted(waiting, 'new event')}</Button>}
            </span>
            <Switch
              label="Live"
              value={isLive.value}
              onChange={(on) => {
                isLive.value = on
                if (on) show()
              }}
            />
          </>
        }
      />
      <Filters rows={SHOWN} extras={{ kind: { options: kindsWith(shown.kind, list.value.value ?? []) } }} />
      <Card isFlush>
        <ListTable
          label="Events"
          list={list}
          keyOf={({ id }) => id}
          empty={
            isFiltered
              ? { icon: Zap, title: 'None of these', about: 'No event fits. One that comes will appear here.' }
              : {
                  icon: Zap,
                  title: 'No events yet',
                  about: 'They appear as soon as the app reports, or your server does.',
                }
          }
          columns={[
            { title: 'What', cell: (event) => <Says appId={appId} event={event} /> },
            { title: 'Install', isMinor: true, cell: ({ installId }) => installId && <Short text={installId} /> },
            { title: 'When', isTight: true, cell: ({ timestamp }) => <Time at={timestamp} /> },
            {
              title: '',
              isTight: true,
              cell: (event) => (
                <Button size="small" onClick={() => (open.value = event)}>
                  Details
                </Button>
              ),
            },
          ]}
        />
      </Card>
      <AsCommand
        command={command`events tail --app ${appId} ${shown.user !== '' && ['--user', shown.user]}`}
        call={{ method: 'GET', path: `/admin/v1/apps/${appId}/events/latest` }}
      />
      {open.value && <Details appId={appId} event={open.value} onClose={() => (open.value = undefined)} />}
    </div>
  )
}

/** Kinds to choose from: those of SDKs and of this server, and the app's own types among the events that are shown. */
function kindsWith(chosen: string, events: readonly LoggedEvent[]) {
  const own = new Set(events.flatMap(({ type }) => (isOwnType(type) ? type : [])))
  if (chosen !== '' && KINDS[chosen] === undefined) own.add(chosen)
  return [
    { value: '', label: 'Every kind' },
    ...Object.entries(KINDS).map(([value, { label }]) => ({ value, label })),
    ...[...own].toSorted().map((type) => ({ value: type, label: type })),
  ]
}

/** "anna opened a push, notification 12" */
function Says({ appId, event }: { appId: number; event: LoggedEvent }) {
  const { who, says } = sayingOf(event)
  const target = targetOf(event)
  return (
    <span class="user-name">
      {who !== '' && (
        <>
          <a class="cell-link" href={href(`/apps/${appId}/users?q=${encodeURIComponent(who)}`)}>
            {who}
          </a>{' '}
        </>
      )}
      {says}
      {target !== undefined && (
        <>
          , <a href={href(`/apps/${appId}/${target.path}`)}>{target.label}</a>
        </>
      )}
    </span>
  )
}

const SHORT = 13

function Short({ text }: { text: string }) {
  return (
    <span class="mono small-text" title={text}>
      {text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text}
    </span>
  )
}

/** An event with all that is kept of it. */
function Details({ appId, event, onClose }: { appId: number; event: LoggedEvent; onClose(): void }) {
  const { id, type, timestamp, receivedAt, userId, installId, uuid, data } = event
  const only = (changes: Record<string, string>) => {
    onClose()
    setQuery({ kind: '', user: '', install: '', q: '', ...changes })
  }
  return (
    <Dialog title={type} onClose={onClose} isWide>
      <div class="stack">
        <p>
          <Says appId={appId} event={event} />
        </p>
        <KeyValues
          items={[
            ['Happened', <Time key="at" at={timestamp} isExact />],
            ['Stored', <Time key="stored" at={receivedAt} isExact />],
            ['User', userId && <Copyable key="user" text={userId} />],
            ['Install', installId && <Copyable key="install" text={installId} />],
            ['Its own id', <Copyable key="uuid" text={uuid} />],
            ['Place in the log', <Copyable key="id" text={id} />],
          ]}
        />
        <div class="row">
          <Button size="small" onClick={() => only({ kind: type })}>
            Only events of this type
          </Button>
          {userId !== null && (
            <Button size="small" onClick={() => only({ user: userId })}>
              Only events of this user
            </Button>
          )}
        </div>
        <More label="Raw">
          <JsonView value={data} />
        </More>
      </div>
    </Dialog>
  )
}
