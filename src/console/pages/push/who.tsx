import type { ComponentChildren } from 'preact'
import type { Loaded } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import type { Bound } from '../../forms/table.ts'
import { Button } from '../../parts/button.tsx'
import type { Option } from '../../parts/field.tsx'
import { PLATFORMS } from '../../parts/platforms.ts'
import { Reach } from '../../parts/reach.tsx'
import { Card, Failed, Note, Skeleton } from '../../parts/surfaces.tsx'
import { Num } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import { type AudienceDraft, MATCH, NAMED, targetOf, type whoRows } from './audience.ts'
import { type Compose, type Estimate, WHO } from './draft.ts'
import { useOffers, withGone } from './offers.ts'
import { RULES, reasonOf } from './words.ts'

type Form = Bound<AudienceDraft>

/** The first card of a push: whom it is for. */
export function Who({ appId, form, estimate }: { appId: number; form: Compose; estimate: Loaded<Estimate> }) {
  return (
    <Audience
      appId={appId}
      form={form}
      rows={WHO}
      about="A push goes to devices. Nobody is chosen until you choose."
      counted={<Counted estimate={estimate} />}
    />
  )
}

interface AudienceProps {
  appId: number
  form: Form
  /** The rows that choose a kind of recipients. */
  rows: ReturnType<typeof whoRows>
  about: string
  counted: ComponentChildren
}

/** The card of whom a send is for. Nothing is chosen at first. */
export function Audience({ appId, form, rows, about, counted }: AudienceProps) {
  return (
    <Card title="Who" about={about}>
      <div class="stack">
        <Fields form={form} rows={rows} />
        {form.values.value.who === 'matching' && <Matching appId={appId} form={form} />}
        <Fields form={form} rows={NAMED} />
        {counted}
      </div>
    </Card>
  )
}

function Matching({ appId, form }: { appId: number; form: Form }) {
  const offers = useOffers(appId)
  const found = offers.value.value
  if (offers.error.value !== undefined) return <Failed error={offers.error.value} retry={offers.reload} />
  if (!found) return <Skeleton />
  const { segments, channels, geofences, tags } = found
  const draft = form.values.value
  const isChosen = targetOf(draft) !== undefined
  if (segments.length + channels.length + geofences.length === 0 && !isChosen) {
    return (
      <Note
        title="This app has no segments, channels or geofences yet. Create one first, or choose certain users."
        actions={
          <Button size="small" href={href(`/apps/${appId}/segments/new`)}>
            Create a segment
          </Button>
        }
      />
    )
  }
  const several = [segments, channels, geofences].filter((all) => all.length > 0).length > 1
  /** A choice; none where the app has nothing to choose and nothing is chosen. */
  const offered = (options: readonly Option[], chosen: readonly string[]) =>
    options.length + chosen.length > 0 ? { options } : null
  const segment = withGone(segments, draft['target.segmentUuid'])
  return (
    <div class="stack">
      <Fields
        form={form}
        rows={MATCH}
        extras={{
          'target.segmentUuid': segment.length > 0 ? { options: [{ value: '', label: 'Any' }, ...segment] } : null,
          'target.channelUuids': offered(channels, draft['target.channelUuids']),
          'target.geofenceIds': offered(geofences, draft['target.geofenceIds']),
          'target.geofenceTags': offered(tags, draft['target.geofenceTags']),
          ...(geofences.length === 0 && !draft['target.geofenceBroadcast'] && { 'target.geofenceBroadcast': null }),
        }}
      />
      {several && (
        <p class="field-hint">Who gets it fits all of what you choose here: the segment, a channel and a geofence.</p>
      )}
    </div>
  )
}

/** Counts the recipients by platform and those left out, with reasons and a sample. */
function Counted({ estimate }: { estimate: Loaded<Estimate> }) {
  return (
    <Reach
      estimate={estimate}
      one="device gets it"
      many="devices get it"
      reasonOf={reasonOf}
      parts={({ platforms }) =>
        platforms.length > 0 && (
          <ul class="push-platforms" aria-label="By platform">
            {platforms.map(({ platform, recipients, configured }) => (
              <li key={platform} class={configured ? '' : 'off'}>
                {PLATFORMS[platform].name} <Num value={recipients} />
                {!configured && ' without a gateway'}
              </li>
            ))}
          </ul>
        )
      }
      notes={({ mayBeSkipped }) =>
        mayBeSkipped.length > 0 && <p class="field-hint">{mayBeSkipped.map((rule) => RULES[rule]).join(' ')}</p>
      }
      sampleOf={({ sample }) =>
        sample.map(({ installId, userId, platform, deviceModel, locale }) => (
          <li key={installId}>
            <strong>{userId ?? 'No user'}</strong>
            <span class="quiet">{[PLATFORMS[platform].name, deviceModel, locale].filter(Boolean).join(', ')}</span>
          </li>
        ))
      }
    />
  )
}
