import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { CheckboxGroup, RadioGroup, SelectField, TextArea } from '../../parts/field.tsx'
import { Failed, Skeleton } from '../../parts/surfaces.tsx'
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
      {values.who === 'segment' && <Segments appId={appId} values={values} set={set} error={undefined} />}
      {values.who === 'channels' && <Channels appId={appId} values={values} set={set} error={undefined} />}
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

function Segments({ appId, values, set }: AudienceProps) {
  const path = { appId }
  const query = { limit: 100 }
  const list = useLoad((signal) => api.get('/admin/v1/apps/{appId}/segments', { path, query, signal }), [appId])
  if (list.error.value !== undefined) return <Failed error={list.error.value} retry={list.reload} />
  const all = list.value.value?.segments
  if (!all) return <Skeleton lines={1} />
  if (all.length === 0) return <p class="quiet">This app has no segments yet.</p>
  return (
    <SelectField
      label="Segment"
      value={values.segment}
      onChange={(segment) => set({ segment })}
      options={[
        { value: '', label: 'Choose a segment' },
        ...all.map(({ uuid, name }) => ({ value: uuid, label: name })),
      ]}
    />
  )
}

function Channels({ appId, values, set }: AudienceProps) {
  const path = { appId }
  const query = { limit: 100 }
  const list = useLoad((signal) => api.get('/admin/v1/apps/{appId}/channels', { path, query, signal }), [appId])
  if (list.error.value !== undefined) return <Failed error={list.error.value} retry={list.reload} />
  const offered = list.value.value?.channels.filter(({ showInPortal }) => showInPortal)
  if (!offered) return <Skeleton lines={1} />
  if (offered.length === 0) return <p class="quiet">This app has no channel that may be chosen here.</p>
  return (
    <CheckboxGroup
      label="Channels"
      value={values.channels}
      onChange={(channels) => set({ channels })}
      options={offered.map(({ uuid, name }) => ({ value: uuid, label: name ?? uuid }))}
    />
  )
}
