import { useSignal } from '@preact/signals'
import { Activity, Bell, BellRing, History, type IconNode, Link2, MessageSquare, Zap } from 'lucide'
import { api } from '../../api/client.ts'
import { useFilledList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { JsonView } from '../../parts/code.tsx'
import { eventInWords } from '../../parts/event-words.ts'
import { SelectField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Badge, Card, Empty } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import type { Moment, UserProps } from './types.ts'

const KINDS: Readonly<Record<Moment['kind'], readonly [icon: IconNode, label: string]>> = {
  session: [Activity, 'Sessions'],
  send: [Bell, 'Pushes'],
  open: [BellRing, 'Opens'],
  message: [MessageSquare, 'In-app messages'],
  link: [Link2, 'Links'],
  event: [Zap, 'Events'],
}
const PAGE = 30
/** A page of the interface may be short: it is read on until there is something to show. */
const MOST_ROUNDS = 20

/** Events of a user, the latest first. */
export function TimelineView({ appId, profile }: UserProps) {
  const kind = useSignal<Moment['kind'] | ''>('')
  const list = useFilledList<Moment, string>(
    (after, limit, signal) =>
      api.get('/admin/v1/apps/{appId}/profiles/{profileId}/timeline', {
        path: { appId, profileId: profile.id },
        query: { limit, ...(after !== null && { after }), ...(kind.value && { kind: kind.value }) },
        signal,
      }),
    { most: PAGE, rounds: MOST_ROUNDS },
    [appId, profile.id, kind.value],
  )
  const moments = list.value.value
  return (
    <Card
      title="Timeline"
      about="What is still kept of their sessions, messages and events."
      actions={
        <SelectField
          label="Show"
          value={kind.value}
          onChange={(value) => void (kind.value = value as Moment['kind'] | '')}
          options={[
            { value: '', label: 'Everything' },
            ...Object.entries(KINDS).map(([value, [, label]]) => ({ value, label })),
          ]}
        />
      }
    >
      {moments === undefined ? (
        <Reading of={list} lines={6} />
      ) : moments.length === 0 && !list.hasMore.value ? (
        <Empty icon={History} title="Nothing kept">
          {kind.value === ''
            ? 'Nothing has happened lately, or it is older than what is kept.'
            : 'There is none of this kind.'}
        </Empty>
      ) : (
        <Days moments={moments} />
      )}
      {list.hasMore.value && moments !== undefined && (
        <Button isBusy={list.isLoading.value} onClick={list.more}>
          Show earlier
        </Button>
      )}
    </Card>
  )
}

function Days({ moments }: { moments: readonly Moment[] }) {
  const days = new Map<string, Moment[]>()
  for (const moment of moments) {
    const day = new Date(moment.at.replace('+0000', 'Z')).toLocaleDateString(undefined, { dateStyle: 'full' })
    days.set(day, [...(days.get(day) ?? []), moment])
  }
  return (
    <div class="timeline">
      {[...days].map(([day, some]) => (
        <section key={day} aria-label={day}>
          <h3 class="timeline-day">{day}</h3>
          <ol class="plain-list">
            {some.map((moment, i) => (
              <li key={i} class="timeline-row">
                <MomentRow moment={moment} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function MomentRow({ moment }: { moment: Moment }) {
  const { kind, at, state, about, data } = moment
  const [icon] = KINDS[kind]
  const time = new Date(at.replace('+0000', 'Z')).toLocaleTimeString(undefined, { timeStyle: 'short' })
  return (
    <>
      <span class={`timeline-icon ${kind}`}>
        <Icon of={icon} size="small" />
      </span>
      <div class="timeline-text">
        <div class="row spread">
          <span class="user-name">
            {titleOf(moment)}{' '}
            {kind === 'send' && state !== null && (
              <Badge tone={GOOD.has(state) ? 'good' : WAITING.has(state) ? 'info' : 'warn'}>
                {STATES[state] ?? state.replaceAll('_', ' ')}
              </Badge>
            )}
            {kind === 'message' && state !== null && <Badge>{STATES[state] ?? state}</Badge>}
          </span>
          <span class="quiet small-text number" title={at}>
            {time}
          </span>
        </div>
        {kind === 'send' && about && !GOOD.has(state ?? '') && (
          <a class="small-text" href={`${location.pathname}?tab=why&notification=${about.id}`}>
            Why did they not get it?
          </a>
        )}
        {data && Object.keys(data).length > 0 && (
          <More label="What the event said">
            <JsonView value={data} />
          </More>
        )}
      </div>
    </>
  )
}

const GOOD: ReadonlySet<string> = new Set(['accepted', 'delivered', 'opened'])
const WAITING: ReadonlySet<string> = new Set(['pending', 'begun', 'moved', 'waiting'])
const STATES: Readonly<Record<string, string>> = {
  accepted: 'accepted by the gateway',
  delivered: 'confirmed by the device',
  opened: 'opened',
  pending: 'waits',
  begun: 'being sent',
  quiet_hours: 'left out: quiet hours',
  frequency_cap: 'left out: frequency cap',
  not_wanted: 'left out: not allowed',
  on_suppression_list: 'left out: suppressed',
  token_dead: 'token refused',
  waiting: 'not fetched yet',
  shown: 'shown',
  read: 'read',
  dismissed: 'dismissed',
  deleted: 'deleted by the user',
}

function titleOf({ kind, type, about, state }: Moment): string {
  if (kind === 'send') return `Push “${about?.name ?? about?.id}”`
  if (kind === 'link')
    return `${state === 'installed' ? 'Installed the app after' : 'Tapped'} the link ${about?.name ?? ''}`
  if (kind === 'message' && type === null) return `In-app message ${about?.name ?? about?.id}`
  return eventInWords(type ?? '')
}
