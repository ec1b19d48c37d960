import { Trash2 } from 'lucide'
import { IconButton } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { Menu } from '../../parts/overlays.tsx'
import { textOf } from './document.ts'

interface Action {
  type: ActionType
  data?: Record<string, unknown>
}

const ACTIONS = {
  closeMessage: 'Close the message',
  openUrl: 'Open an address',
  deepLink: 'Go to a place in the app',
  subscribeToChannel: 'Subscribe to a channel',
  trackConversionEvent: 'Record an event',
  requestAppStoreRating: 'Ask for a rating',
  promptPushPermission: 'Ask for permission to notify',
} as const
type ActionType = keyof typeof ACTIONS

const FRESH: Partial<Record<ActionType, Record<string, unknown>>> = {
  openUrl: { url: 'https://' },
  deepLink: { deepLink: {} },
  subscribeToChannel: { channelUuid: '' },
  trackConversionEvent: { eventType: '' },
}

/** The texts of `data` that are fields of their own. */
const TEXTS: Partial<Record<ActionType, readonly [name: string, label: string]>> = {
  openUrl: ['url', 'Address'],
  subscribeToChannel: ['channelUuid', 'Uuid of the channel'],
  trackConversionEvent: ['eventType', 'Name of the event'],
}

const newAction = (type: ActionType): Action => ({ type, ...(FRESH[type] && { data: FRESH[type] }) })

interface ActionFieldsProps {
  actions: readonly Action[]
  onChange(actions: Action[], what: string): void
  errors: Readonly<Record<string, string>>
}

/** What a button does, one after the other. */
export function ActionFields({ actions, onChange, errors }: ActionFieldsProps) {
  const set = (index: number, action: Action, what: string) =>
    onChange(
      actions.map((one, i) => (i === index ? action : one)),
      `${index}${what}`,
    )
  return (
    <fieldset class="field stack tight">
      <legend class="choices-legend">When it is pressed</legend>
      {actions.map((action, i) => {
        const field = TEXTS[action.type]
        return (
          <div key={i} class="stack tight">
            <div class="row" style={{ alignItems: 'end' }}>
              <div style={{ flex: 1 }}>
                <SelectField
                  label={`Action ${i + 1}`}
                  value={action.type}
                  onChange={(type) => set(i, newAction(type), 'type')}
                  options={Object.entries(ACTIONS).map(([value, label]) => ({ value: value as ActionType, label }))}
                  error={errors[`actions[${i}]`]}
                />
              </div>
              {actions.length > 1 && (
                <IconButton
                  icon={Trash2}
                  label={`Remove action ${i + 1}`}
                  onClick={() =>
                    onChange(
                      actions.filter((_, at) => at !== i),
                      '',
                    )
                  }
                />
              )}
            </div>
            {field && (
              <TextField
                label={`${field[1]} of action ${i + 1}`}
                value={textOf(action.data?.[field[0]])}
                onChange={(text) => set(i, { ...action, data: { ...action.data, [field[0]]: text } }, field[0])}
                error={errors[`actions[${i}].data.${field[0]}`]}
                isMono
              />
            )}
            {action.type === 'deepLink' && (
              <JsonField
                label={`Place of action ${i + 1}`}
                hint="The app gets this object."
                rows={3}
                value={action.data?.['deepLink']}
                onChange={(deepLink) => set(i, { ...action, data: { deepLink } }, 'deepLink')}
              />
            )}
          </div>
        )
      })}
      {actions.length < 10 && (
        <Menu
          label="Add an action"
          items={Object.entries(ACTIONS).map(([type, label]) => ({
            label,
            run: () => onChange([...actions, newAction(type as ActionType)], ''),
          }))}
        />
      )}
    </fieldset>
  )
}
