import { useSignal } from '@preact/signals'
import { SelectField, Switch } from '../../parts/field.tsx'
import type { Draft } from './document.ts'
import { DEVICES, type Device, MessageFrame } from './frame.tsx'

/** The message beside the editor, on the phone and in the look that people choose. */
export function Preview({ draft, name }: { draft: Draft; name: string }) {
  const device = useSignal<Device>('phone')
  const look = useSignal<'light' | 'dark'>('light')
  const isRtl = useSignal(false)
  const isLarge = useSignal(false)
  return (
    <aside class="editor-preview" aria-label="Preview">
      <MessageFrame
        label={`${name} on a ${DEVICES[device.value].label.toLowerCase()}, ${look.value}`}
        content={draft.content}
        tags={draft.tags}
        values={draft.sample}
        device={device.value}
        look={look.value}
        isRtl={isRtl.value}
        isLargeText={isLarge.value}
      />
      <div class="editor-looks">
        <SelectField
          label="Device"
          value={device.value}
          onChange={(next) => (device.value = next)}
          options={Object.entries(DEVICES).map(([value, { label }]) => ({ value: value as Device, label }))}
        />
        <SelectField
          label="Appearance"
          value={look.value}
          onChange={(next) => (look.value = next)}
          options={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
      </div>
      <Switch label="Right to left" value={isRtl.value} onChange={(on) => (isRtl.value = on)} />
      <Switch label="Large text" value={isLarge.value} onChange={(on) => (isLarge.value = on)} />
    </aside>
  )
}
