import type { Loaded } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ChooseMany } from '../../parts/choose-many.tsx'
import { Checkbox, RadioGroup, SelectField, TextArea } from '../../parts/field.tsx'
import { Reach } from '../../parts/reach.tsx'
import { Card, Failed, Note, Skeleton } from '../../parts/surfaces.tsx'
import { More, Num } from '../../parts/values.tsx'
import { href } from '../../shell/router.ts'
import type { Compose } from './compose-form.ts'
import { type Estimate, targetOf } from './draft.ts'
import { useOffers } from './offers.ts'
import { PLATFORMS } from './shown.ts'
import { RULES, reasonOf } from './words.ts'

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
  const offers = useOffers(appId)
  const found = offers.value.value
  if (offers.error.value !== undefined) return <Failed error={offers.error.value} retry={offers.reload} />
  if (!found) return <Skeleton />
  const { segments, channels, geofences, tags } = found
  const draft = form.values.value
  const chosen = draft['target.segmentUuid']
  const isChosen = targetOf(draft) !== undefined
  if (segments.length + channels.length + geofences.length === 0 && !isChosen) {
    return (
      <Note
        title="This app has no segments, channels or geofences yet. Make one first, or choose people by name."
        actions={
          <Button size="small" href={href(`/apps/${appId}/segments/new`)}>
            Make a segment
          </Button>
        }
      />
    )
  }
  const several = [segments, channels, geofences].filter((all) => all.length > 0).length > 1
  const isKnown = chosen === '' || segments.some(({ value }) => value === chosen)
  return (
    <div class="stack">
      {(segments.length > 0 || !isKnown) && (
        <SelectField
          {...form.field('target.segmentUuid')}
          label="Segment"
          options={[
            { value: '', label: 'Any' },
            ...segments,
            ...(isKnown ? [] : [{ value: chosen, label: `${chosen}, which is gone` }]),
          ]}
        />
      )}
      {channels.length + draft['target.channelUuids'].length > 0 && (
        <ChooseMany
          {...form.field('target.channelUuids')}
          label="Subscribed to any of these channels"
          options={channels}
        />
      )}
      {geofences.length + draft['target.geofenceIds'].length > 0 && (
        <ChooseMany
          {...form.field('target.geofenceIds')}
          label="Inside any of these geofences when it is sent"
          options={geofences}
        />
      )}
      {tags.length + draft['target.geofenceTags'].length > 0 && (
        <ChooseMany
          {...form.field('target.geofenceTags')}
          label="Inside any geofence with one of these tags"
          options={tags}
        />
      )}
      {(geofences.length > 0 || draft['target.geofenceBroadcast']) && (
        <Checkbox {...form.field('target.geofenceBroadcast')} label="Inside any geofence at all" />
      )}
      {several && (
        <p class="field-hint">Who gets it fits all of what you choose here: the segment, a channel and a geofence.</p>
      )}
    </div>
  )
}

/** How many it goes to, by platform, who is left out and why, and some of them. */
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
