import { Switch, TextField } from '../../parts/field.tsx'
import type { FormState } from '../../parts/form.tsx'
import { JsonField } from '../../parts/json-field.tsx'

/** A channel as its form has it. */
export interface ChannelValues extends Record<string, unknown> {
  uuid: string
  name: string
  showInPortal: boolean
  meta: unknown
}

/** What is wrong before anything is sent. */
export const checkChannel = ({ uuid, name, showInPortal, meta }: ChannelValues) => ({
  uuid: uuid.trim() === '' ? 'Give it an identifier, such as news.' : undefined,
  name: showInPortal && name.trim() === '' ? 'A channel that is offered needs a name.' : undefined,
  meta:
    meta === undefined || meta === null || (typeof meta === 'object' && !Array.isArray(meta))
      ? undefined
      : 'Write an object: { … }.',
})

/** The same as the interface takes it. */
export const bodyOf = ({ uuid, name, showInPortal, meta }: ChannelValues) => ({
  uuid: uuid.trim(),
  name: name.trim() === '' ? null : name.trim(),
  showInPortal,
  meta: (meta ?? null) as Record<string, unknown> | null,
})

export function ChannelFields({ form }: { form: FormState<ChannelValues> }) {
  return (
    <>
      <TextField
        {...form.field('name')}
        label="Name"
        isOptional
        hint="With a name, everybody sees the channel in the app. Without one, only its subscribers do."
      />
      <TextField
        {...form.field('uuid')}
        label="Identifier"
        isMono
        hint="The app and your servers call the channel by it. Programs that use an old one stop working when it changes."
      />
      <Switch
        {...form.field('showInPortal')}
        label="Offer it when composing a push"
        hint="People of your team can then choose it as the target of a push. It needs a name."
      />
      <JsonField
        {...form.field('meta')}
        label="Data for the app"
        isOptional
        rows={3}
        hint="Any JSON object, which the app gets with the channel: a picture, a description, an order."
      />
    </>
  )
}
