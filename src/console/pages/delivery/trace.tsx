import { useSignal } from '@preact/signals'
import { type Answer, api } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note } from '../../parts/surfaces.tsx'
import { Time } from '../../parts/values.tsx'
import { sentence } from './words.ts'

type Traced = Answer<'/admin/v1/apps/{appId}/deliveries/{id}/trace'>['items'][number]

const STORIES: Readonly<Record<string, readonly [tone: 'good' | 'warn' | 'bad' | 'info', story: string]>> = {
  not_a_recipient: ['info', 'It was not meant for this device'],
  waiting: ['info', 'Its turn has not come yet'],
  pending: ['info', 'It waits to be sent'],
  begun: ['info', 'It is being sent right now'],
  moved: ['info', 'It is being sent again'],
  accepted: ['good', 'The gateway accepted it'],
  expired: ['warn', 'It expired before it could be sent'],
  missed: ['warn', 'It was due while the server could not send'],
  cancelled: ['warn', 'Somebody cancelled it first'],
  skipped: ['info', 'The device no longer had a push token'],
  unknown: ['warn', 'The gateway never answered, so it may have arrived or not'],
  token_dead: ['bad', 'The gateway does not know this token any more: the app was removed, or got a new one'],
  token_suspect: ['bad', 'The gateway refused the token'],
  payload_error: ['bad', 'The gateway refused the message'],
  throttled_recipient: ['bad', 'The gateway says that this device gets too many messages'],
  no_gateway: ['bad', 'The app has no gateway for this platform'],
  internal_error: ['bad', 'The delivery failed in this server'],
  quiet_hours: ['info', 'It was within the quiet hours where the device is'],
  frequency_cap: ['info', 'The device had got as many pushes as the frequency cap allows'],
  past_time: ['info', 'The time had passed already where the device is'],
  not_wanted: ['info', 'The user does not allow the purpose of this notification'],
  user_changed: ['info', 'Somebody else uses the device by now'],
  missing_value: ['info', 'Something that the message says is missing for this person'],
  on_suppression_list: ['info', 'The user is on the suppression list'],
}

const AGAIN = {
  after_crash: 'again, because the server stopped while it was sending',
  no_answer: 'again, because no answer came',
  held: 'held until the end of quiet hours',
  retry: 'again, because the gateway asked for it',
} as const

const TRACE = '/admin/v1/apps/{appId}/deliveries/{id}/trace'
const WHO = [
  row.select('by', 'Search by', { first: 'userId', options: row.choices({ userId: 'User', installId: 'Install' }) }),
  row.text('who', 'User id', { need: 'Give the id of a user or an install.' }),
] as const

/** Traces one person or install through the notification: why did they not get it? */
export function Trace({ appId, id }: { appId: number; id: number }) {
  const found = useSignal<Traced[] | undefined>(undefined)
  const form = useTable(WHO, {
    submit: async ({ by, who }) => {
      found.value = undefined
      const query = { [by]: who.trim() }
      try {
        found.value = (await api.get(TRACE, { path: { appId, id }, query })).items
      } catch (error) {
        const isMissing = error instanceof ApiError && error.status === 404
        const what = by === 'userId' ? 'user' : 'install'
        throw new ApiError(422, '', '', { who: isMissing ? `There is no ${what} with this id.` : messageOf(error) })
      }
    },
  })
  const { by, who } = form.values.value
  const name = who.trim()
  const isInstall = by === 'installId'
  const path = `/admin/v1/apps/${appId}/deliveries/${id}/trace?${by}=${encodeURIComponent(name)}`
  return (
    <Card title="What happened to one recipient" about="Why did this person get it, or not?">
      <TableForm
        form={form}
        submitLabel="Trace"
        tone="plain"
        extras={isInstall ? { who: { label: 'Install id' } } : {}}
        also={
          <>
            <div aria-live="polite" class="stack">
              {found.value?.length === 0 && <Note tone="info" title="This user has no device now." />}
              {found.value?.map((one) => (
                <Story key={one.installId} traced={one} />
              ))}
            </div>
            <AsCommand
              command={
                isInstall && name !== ''
                  ? command`notifications trace ${id} --app ${appId} --install ${name}`
                  : undefined
              }
              call={{ method: 'GET', path }}
            />
          </>
        }
      />
    </Card>
  )
}

function Story({ traced: { installId, state, attempts, answers } }: { traced: Traced }) {
  const [tone, story] = STORIES[state] ?? (['info', sentence(state)] as const)
  return (
    <div class="stack tight">
      <div class="row">
        <Badge tone={tone}>{story}</Badge>
        <span class="mono small-text quiet">{installId}</span>
      </div>
      {(attempts.length > 1 || answers.length > 0) && (
        <ol class="small-text">
          {attempts.map(({ attempt, outcome, again }, i) => (
            <li key={`${attempt} ${i}`}>
              {again === null ? 'First attempt' : sentence(AGAIN[again])}:{' '}
              {STORIES[outcome]?.[1].toLowerCase() ?? outcome}
            </li>
          ))}
          {answers.map(({ reason, at }) => (
            <li key={at + reason}>
              The vendor said <span class="mono">{reason}</span>, <Time at={at} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
