import { Fields } from '../../forms/fields.tsx'
import { Reading } from '../../parts/reading.tsx'
import { useOffers, withGone } from '../push/offers.ts'
import { type ComposeForm, WHO } from './request.ts'

/** Fields that choose the recipients of the message. */
export function Audience({ appId, form }: { appId: number; form: ComposeForm }) {
  const { who } = form.values.value
  return (
    <Fields
      form={form}
      rows={WHO}
      extras={{
        segment: () => <Offered key={who} appId={appId} form={form} />,
        channels: () => <Offered key={who} appId={appId} form={form} />,
      }}
    />
  )
}

/** The segments or channels of the app to choose from. */
function Offered({ appId, form }: { appId: number; form: ComposeForm }) {
  const loaded = useOffers(appId)
  const { who, segment, channels } = form.values.value
  return (
    <Reading of={loaded} lines={1}>
      {(offers) => {
        const segments = withGone(offers.segments, segment)
        if (who === 'segment' && segments.length === 0) return <p class="quiet">This app has no segments yet.</p>
        if (who === 'channels' && offers.channels.length + channels.length === 0)
          return <p class="quiet">This app has no channel that may be chosen here.</p>
        return (
          <Fields
            form={form}
            rows={WHO.slice(1, 3)}
            extras={{
              segment: { options: [{ value: '', label: 'Choose a segment' }, ...segments] },
              channels: { options: offers.channels },
            }}
          />
        )
      }}
    </Reading>
  )
}
