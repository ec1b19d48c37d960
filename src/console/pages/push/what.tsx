import { type Loaded, useGet } from '../../api/load.ts'
import { type Extra, Fields } from '../../forms/fields.tsx'
import { useLabelHint } from '../../forms/labels.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { type Compose, DETAILS, type Draft, type Estimate, RULES, WORDS } from './draft.ts'
import { Buttons } from './personal/buttons.tsx'
import { CoverageOf } from './personal/coverage.tsx'
import { type Picking, withValues } from './personal/insert.tsx'
import { LookUps } from './personal/look-ups.tsx'
import { isPersonal, PERSONAL, whenMissingOf } from './personal/rows.ts'

interface WhatProps {
  appId: number
  form: Compose
  picking: Picking
  /** The estimate with a sample of what people get. */
  covered: Loaded<Estimate>
  /** Leaves out the rules by which it is sent. */
  isOnlySaying: boolean
}

/** The texts that may hold values, with words for them. */
const TEXTS = [
  { at: 'content.title', label: 'the title' },
  { at: 'content.message', label: 'the message' },
  { at: 'content.url', label: 'the link', isAddress: true, hint: 'What a tap opens. Without it, the app.' },
  { at: 'picture', label: 'the link to the picture', isAddress: true },
  { at: 'ios.subtitle', label: 'the subtitle', hint: 'A line between title and message.' },
  {
    at: 'android.pictureUrl',
    label: 'the link to the picture on Android',
    isAddress: true,
    hint: 'Instead of the one for all devices.',
  },
] as const satisfies readonly { at: keyof Draft; label: string; isAddress?: boolean; hint?: string }[]

/** The second card: what it says. */
export function What({ appId, form, picking, covered, isOnlySaying }: WhatProps) {
  const purposes = useGet('/admin/v1/apps/{appId}/purposes', { path: { appId } })
  const named = (purposes.value.value?.purposes ?? []).map(({ uid, name }) => ({ value: uid, label: name }))
  const { value: buttons, error } = form.field('buttons')
  const texts = TEXTS.map(({ at, ...text }): [string, Extra] => {
    const hint = 'hint' in text ? text.hint : undefined
    const { value } = form.field(at)
    return [at, withValues(picking, { ...text, value, change: (to) => form.set({ [at]: to }) }, hint)]
  })
  const extras: Record<string, Extra> = {
    ...Object.fromEntries(texts),
    buttons: () => (
      <Buttons
        id="buttons"
        buttons={buttons}
        error={error}
        picking={picking}
        change={(next) => form.set({ buttons: next })}
      />
    ),
    labels: useLabelHint(appId, form.values.value.labels, (labels) => form.set({ labels })),
    purpose: named.length === 0 ? null : { options: [{ value: '', label: 'None' }, ...named] },
  }
  const draft = form.values.value
  return (
    <Card title="What">
      <div class="stack">
        <Fields form={form} rows={WORDS} extras={extras} />
        <Fields form={form} rows={PERSONAL} />
        {isPersonal(draft) && <CoverageOf estimate={covered} whenMissing={whenMissingOf(draft)} />}
        <LookUps form={form} picking={picking} />
        <Fields form={form} rows={DETAILS} extras={extras} />
        {!isOnlySaying && <Fields form={form} rows={RULES} extras={extras} />}
      </div>
    </Card>
  )
}
