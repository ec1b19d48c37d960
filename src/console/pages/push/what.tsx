import { Plus, Trash2 } from 'lucide'
import { useGet } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { FieldError, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { type Compose, WHAT } from './draft.ts'

/** Maximum number of buttons that any device shows. */
const MOST_BUTTONS = 5

/** The second card: what it says. */
export function What({ appId, form }: { appId: number; form: Compose }) {
  const purposes = useGet('/admin/v1/apps/{appId}/purposes', { path: { appId } })
  const named = (purposes.value.value?.purposes ?? []).map(({ uid, name }) => ({ value: uid, label: name }))
  return (
    <Card title="What">
      <div class="stack">
        <Fields
          form={form}
          rows={WHAT}
          extras={{
            buttons: () => <Buttons form={form} />,
            purpose: named.length === 0 ? null : { options: [{ value: '', label: 'None' }, ...named] },
          }}
        />
      </div>
    </Card>
  )
}

function Buttons({ form }: { form: Compose }) {
  const { value: buttons, error } = form.field('buttons')
  const change = (i: number, text: string) =>
    form.set({ buttons: buttons.map((one, at) => (at === i ? { ...one, text } : one)) })
  return (
    <div class="field">
      {buttons.map((button, i) => (
        <div key={i} class="push-button-row">
          <TextField label={`Button ${i + 1}`} value={button.text} onChange={(text) => change(i, text)} />
          <IconButton
            icon={Trash2}
            label={`Remove button ${i + 1}`}
            onClick={() => form.set({ buttons: buttons.filter((_, at) => at !== i) })}
          />
        </div>
      ))}
      <FieldError id="buttons" error={error} />
      {buttons.length < MOST_BUTTONS && (
        <div>
          <Button
            size="small"
            icon={Plus}
            onClick={() => form.set({ buttons: [...buttons, { id: `button-${buttons.length + 1}`, text: '' }] })}
          >
            Add a button
          </Button>
        </div>
      )}
    </div>
  )
}
