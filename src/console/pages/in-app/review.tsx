import type { ApiError } from '../../api/errors.ts'
import { targetInWords } from '../../parts/targets.ts'
import { KeyValues } from '../../parts/values.tsx'
import { targetOf } from '../push/audience.ts'
import { type Offers, useOffers } from '../push/offers.ts'
import { CoverageOf } from '../push/personal/coverage.tsx'
import { isPersonal, whenMissingOf } from '../push/personal/rows.ts'
import { LastLook, leftOutRow } from '../push/review.tsx'
import { whenInWords } from '../push/time.ts'
import { MessageFrame } from '../templates/frame.tsx'
import type { Estimate } from './answers.ts'
import type { Draft } from './draft.ts'
import { documentOf } from './looks.tsx'
import { people, reasonOf, SHOWN_WHEN, stayInWords } from './words.ts'
import type { Writing } from './written.tsx'

interface ReviewProps {
  writing: Writing
  estimate: Estimate
  send(confirm: number | undefined): Promise<void>
  refuse(error: ApiError): boolean
  onClose(): void
}

/** The last look at a message. */
export function Review({ writing, estimate, ...ways }: ReviewProps) {
  const { appId, form, answers, template } = writing
  const draft = form.values.value
  const { viewer, drawn, covered } = answers
  const offers = useOffers(appId).value.value
  const document = documentOf(template.value.value, draft, drawn)
  const label = `Send to ${people(estimate.recipients)}`
  return (
    <LastLook title={`${label}?`} action={label} estimate={estimate} {...ways}>
      {document && (
        <div class="message-stage">
          <MessageFrame label="How the message looks" content={document} width={180} look="light" />
        </div>
      )}
      {viewer !== undefined && (
        <p class="quiet small-text">
          {document === null ? `${viewer.name} gets nothing.` : `As ${viewer.name} gets it.`}
        </p>
      )}
      {isPersonal(draft) && <CoverageOf estimate={covered} whenMissing={whenMissingOf(draft)} unit="person" />}
      <KeyValues
        items={[
          ['To', goal(draft, offers)],
          ['When', whenInWords(draft)],
          ['Shown', SHOWN_WHEN[draft.presentedWhen as keyof typeof SHOWN_WHEN]],
          [
            'Stays for',
            draft.presentedWhen === 'never'
              ? undefined
              : stayInWords((draft.ttl ?? 0) * (draft.ttlUnit === 'h' ? 1 : 24)),
          ],
          ...leftOutRow(estimate.leftOut, reasonOf),
        ]}
      />
    </LastLook>
  )
}

/** The audience in words, with the names of segment, channels and geofences. */
function goal(draft: Draft, offers: Offers | undefined): string {
  if (draft.who !== 'matching') return targetInWords(targetOf(draft) ?? {})
  const named = (options: readonly { value: string; label: string }[] = [], chosen: readonly string[]) =>
    chosen.map((one) => options.find(({ value }) => value === one)?.label ?? one)
  const segment = draft['target.segmentUuid']
  const parts = [
    ...named(offers?.segments, segment === '' ? [] : [segment]),
    ...named(offers?.channels, draft['target.channelUuids']),
    ...named(offers?.geofences, draft['target.geofenceIds']),
    ...named(offers?.tags, draft['target.geofenceTags']),
    ...(draft['target.geofenceBroadcast'] ? ['Inside any geofence'] : []),
  ]
  return parts.join(', ')
}
