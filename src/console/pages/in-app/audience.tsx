import { ChooseMany } from '../../parts/choose-many.tsx'
import { RadioGroup, SelectField, TextArea } from '../../parts/field.tsx'
import { Failed, Skeleton } from '../../parts/surfaces.tsx'
import { type Offers, useOffers } from '../push/offers.ts'
import type { Fields, WhoKind } from './request.ts'

interface AudienceProps {
  appId: number
  values: Fields
  set(changes: Partial<Fields>): void
  error: string | undefined
}

const KINDS: { value: WhoKind; label: string; about: string }[] = [
  { value: 'everybody', label: 'Everybody', about: 'All people who agreed to in-app messages.' },
  { value: 'segment', label: 'A segment', about: 'People whom its filter matches.' },
  { value: 'channels', label: 'Channels', about: 'People who subscribed to one of them.' },
  { value: 'people', label: 'Certain people', about: 'By their user ids.' },
]

/** Whom the message is for. Nothing is chosen at first. */
export function Audience({ appId, values, set, error }: AudienceProps) {
  return (
    <>
      <RadioGroup
        label="Who gets it"
        look="cards"
        value={values.who}
        onChange={(who) => set({ who })}
        options={KINDS}
        error={error}
      />
      {(values.who === 'segment' || values.who === 'channels') && <Offered appId={appId} values={values} set={set} />}
      {values.who === 'people' && (
        <TextArea
          label="User ids"
          hint="Separated by blanks, commas or new lines."
          isMono
          value={values.userIds}
          onChange={(userIds) => set({ userIds })}
        />
      )}
    </>
  )
}

interface OfferProps extends Pick<AudienceProps, 'values' | 'set'> {
  offers: Offers
}

function Offered({ appId, values, set }: Omit<AudienceProps, 'error'>) {
  const loaded = useOffers(appId)
  const offers = loaded.value.value
  if (loaded.error.value !== undefined) return <Failed error={loaded.error.value} retry={loaded.reload} />
  if (!offers) return <Skeleton lines={1} />
  const Choice = values.who === 'segment' ? Segments : Channels
  return <Choice values={values} set={set} offers={offers} />
}

function Segments({ values, set, offers }: OfferProps) {
  const { segments } = offers
  const isKnown = values.segment === '' || segments.some(({ value }) => value === values.segment)
  if (segments.length === 0 && isKnown) return <p class="quiet">This app has no segments yet.</p>
  return (
    <SelectField
      label="Segment"
      value={values.segment}
      onChange={(segment) => set({ segment })}
      options={[
        { value: '', label: 'Choose a segment' },
        ...segments,
        ...(isKnown ? [] : [{ value: values.segment, label: `${values.segment}, which is gone` }]),
      ]}
    />
  )
}

function Channels({ values, set, offers }: OfferProps) {
  if (offers.channels.length + values.channels.length === 0)
    return <p class="quiet">This app has no channel that may be chosen here.</p>
  return (
    <ChooseMany
      label="Channels"
      value={values.channels}
      onChange={(channels) => set({ channels })}
      options={offers.channels}
    />
  )
}
