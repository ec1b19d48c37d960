import { Plus, Trash2 } from 'lucide'
import { Button, IconButton } from '../../../parts/button.tsx'
import { FieldError, TextField } from '../../../parts/field.tsx'
import { type Picking, withValues } from './insert.tsx'

/** Maximum number of buttons that any device shows. */
const MOST_BUTTONS = 5

interface PushButton {
  id: string
  text: string
}

interface ButtonsProps<B extends PushButton> {
  /** Name of the field, with which the id of its error begins. */
  id: string
  buttons: readonly B[]
  error: string | undefined
  picking: Picking
  change(buttons: readonly (B | PushButton)[]): void
}

/** The buttons of a push. */
export function Buttons<B extends PushButton>({ id, buttons, error, picking, change }: ButtonsProps<B>) {
  const rename = (i: number, text: string) => change(buttons.map((one, at) => (at === i ? { ...one, text } : one)))
  return (
    <div class="field">
      {buttons.map((button, i) => {
        const label = `Button ${i + 1}`
        const text = { value: button.text, label, change: (to: string) => rename(i, to) }
        return (
          <div key={i} class="push-button-row">
            <TextField label={label} value={button.text} onChange={text.change} {...withValues(picking, text)} />
            <IconButton
              icon={Trash2}
              label={`Remove button ${i + 1}`}
              onClick={() => change(buttons.filter((_, at) => at !== i))}
            />
          </div>
        )
      })}
      <FieldError id={id} error={error} />
      {buttons.length < MOST_BUTTONS && (
        <div>
          <Button
            size="small"
            icon={Plus}
            onClick={() => change([...buttons, { id: `button-${buttons.length + 1}`, text: '' }])}
          >
            Add a button
          </Button>
        </div>
      )}
    </div>
  )
}
