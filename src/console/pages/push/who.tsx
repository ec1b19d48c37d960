import { api } from '../../api/client.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import { CheckboxGroup, RadioGroup, SelectField, TextArea } from '../../parts/field.tsx'
import { Card, Failed, Note, Skeleton } from '../../parts/surfaces.tsx'
import { formatNumber, More, Num } from '../../parts/values.tsx'
import type { Compose } from './compose-form.ts'
import type { Estimate } from './draft.ts'
import { PLATFORMS } from './shown.ts'
import { RULES, reasonOf } from './words.ts'

/** Items of a choice; who has more names them in a segment. */
const MOST = 100

/** The first card: whom it is for. Nothing is chosen at first. */
export function Who({ appId, form, estimate }: { appId: number; form: Compose; estimate: Loaded<Estimate> }) {
  const { who } = form.values.value
  return (
    <Card title="Who" about="A push goes to devices. Nobody is chosen until you choose.">
      <div class="stack">
        <RadioGroup
          {...form.field('who')}
          label="Who gets it"
          look="cards"
          options={[
            { value: 'everybody', label: 'Everybody', about: 'Every device that allows pushes' },
            { value: 'matching', label: 'People who match', about: 'A segment, channels or geofences' },
            { value: 'named', label: 'People by name', about: 'User ids or install ids' },
          ]}
        />
        {who === 'matching' && <Matching appId={appId} form={form} />}
        {who === 'named' && (
          <div class="grid halves">
            <TextArea {...form.field('target.userIds')} label="User ids" hint="One a line." rows={4} isMono />
            <TextArea {...form.field('target.installIds')} label="Install ids" hint="One a line." rows={4} isMono />
          </div>
        )}
        {who !== '' && (
          <More label="Leave devices out" isOpen={form.values.peek()['target.excludeInstallIds'] !== ''}>
            <TextArea
              {...form.field('target.excludeInstallIds')}
              label="Install ids that get nothing"
              hint="One a line."
              rows={3}
              isMono
            />
          </More>
        )}
        <Counted estimate={estimate} />
      </div>
    </Card>
  )
}

function Matching({ appId, form }: { appId: number; form: Compose }) {
  const query = { limit: MOST }
  const choices = useLoad(
    async (signal) => {
      const path = { appId }
      const [segments, channels, geofences] = await Promise.all([
        api.get('/admin/v1/apps/{appId}/segments', { path, query, signal }),
        api.get('/admin/v1/apps/{appId}/channels', { path, query, signal }),
        api.get('/admin/v1/apps/{appId}/geofences', { path, query, signal }),
      ])
      return {
        segments: segments.segments,
        // What the contract says of the console: only these are offered.
        channels: channels.channels.filter(({ name, showInPortal }) => showInPortal && name),
        geofences: geofences.geofences.filter(({ isEnabled }) => isEnabled),
      }
    },
    [appId],
  )
  const found = choices.value.value
  if (choices.error.value !== undefined) return <Failed error={choices.error.value} retry={choices.reload} />
  if (!found) return <Skeleton />
  const { segments, channels, geofences } = found
  if (segments.length + channels.length + geofences.length === 0) {
    return (
      <Note title="This app has no segments, channels or geofences yet. Make one first, or choose people by name." />
    )
  }
  const several = [segments, channels, geofences].filter((all) => all.length > 0).length > 1
  return (
    <div class="stack">
      {segments.length > 0 && (
        <SelectField
          {...form.field('target.segmentUuid')}
          label="Segment"
          options={[{ value: '', label: 'Any' }, ...segments.map(({ uuid, name }) => ({ value: uuid, label: name }))]}
        />
      )}
      {channels.length > 0 && (
        <CheckboxGroup
          {...form.field('target.channelUuids')}
          label="Subscribed to any of these channels"
          options={channels.map(({ uuid, name }) => ({ value: uuid, label: name! }))}
        />
      )}
      {geofences.length > 0 && (
        <CheckboxGroup
          {...form.field('target.geofenceIds')}
          label="Inside any of these geofences when it is sent"
          options={geofences.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      {several && (
        <p class="field-hint">Who gets it fits all of what you choose here: the segment, a channel and a geofence.</p>
      )}
    </div>
  )
}

/** How many it goes to, by platform, who is left out and why, and some of them. */
function Counted({ estimate }: { estimate: Loaded<Estimate> }) {
  const now = estimate.value.value
  if (estimate.error.value !== undefined) return <Failed error={estimate.error.value} retry={estimate.reload} />
  if (!now) return estimate.isLoading.value ? <Skeleton lines={2} /> : null
  const { recipients, platforms, leftOut, sample, isComplete, mayBeSkipped } = now
  return (
    <div class="push-count" aria-live="polite" aria-busy={estimate.isLoading.value}>
      <p class="push-total">
        <strong>
          {!isComplete && 'More than '}
          <Num value={recipients} />
        </strong>{' '}
        {recipients === 1 ? 'device gets it' : 'devices get it'}
      </p>
      {platforms.length > 0 && (
        <ul class="push-platforms" aria-label="By platform">
          {platforms.map(({ platform, recipients: count, configured }) => (
            <li key={platform} class={configured ? '' : 'off'}>
              {PLATFORMS[platform].name} <Num value={count} />
              {!configured && ' without a gateway'}
            </li>
          ))}
        </ul>
      )}
      {leftOut.length > 0 && (
        <div>
          <h3>Left out</h3>
          <ul class="push-reasons">
            {leftOut.map(({ reason, count }) => (
              <li key={reason}>
                <span class="number">{formatNumber(count)}</span> {reasonOf(reason)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {mayBeSkipped.length > 0 && <p class="field-hint">{mayBeSkipped.map((rule) => RULES[rule]).join(' ')}</p>}
      {sample.length > 0 && (
        <More label={sample.length === 1 ? 'Who that is' : `${sample.length} of them`}>
          <ul class="push-sample">
            {sample.map(({ installId, userId, platform, deviceModel, locale }) => (
              <li key={installId}>
                <strong>{userId ?? 'No user'}</strong>
                <span class="quiet">{[PLATFORMS[platform].name, deviceModel, locale].filter(Boolean).join(', ')}</span>
              </li>
            ))}
          </ul>
        </More>
      )}
    </div>
  )
}
