import { Trash2 } from 'lucide'
import { Fields } from '../../forms/fields.tsx'
import * as row from '../../forms/rows.ts'
import { boundTo, type Values } from '../../forms/table.ts'
import { IconButton } from '../../parts/button.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Menu } from '../../parts/overlays.tsx'

interface Action {
  type: ActionType
  data?: Record<string, unknown>
}

const ACTIONS = {
  closeMessage: 'Close the message',
  openUrl: 'Open a link',
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

const isOf =
  (type: ActionType) =>
  ({ type: now }: Values) =>
    now === type
const kept = { isAsTyped: true, empty: 'sent', isMono: true } as const
/** Rows about the data of an action, by its type. */
const DATA = [
  row.own('type', ''),
  row.text('data.url', 'Link', { ...kept, when: isOf('openUrl') }),
  row.text('data.channelUuid', 'Uuid of the channel', { ...kept, when: isOf('subscribeToChannel') }),
  row.text('data.eventType', 'Name of the event', { ...kept, when: isOf('trackConversionEvent') }),
  row.json('data.deepLink', 'Place', { hint: 'The app gets this object.', rows: 3, when: isOf('deepLink') }),
] as const

const newAction = (type: ActionType): Action => ({ type, ...(FRESH[type] && { data: FRESH[type] }) })

interface ActionFieldsProps {
  actions: readonly Action[]
  onChange(actions: Action[], what: string): void
  errors: Readonly<Record<string, string>>
}

/** Actions of a button, in their order. */
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
        const data = boundTo(DATA, action, (next, place) => set(i, next, place), errorsOf(errors, i))
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
            <Fields
              form={data}
              rows={DATA}
              extras={Object.fromEntries(DATA.map(({ at, label }) => [at, { label: `${label} of action ${i + 1}` }]))}
            />
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

const errorsOf = (errors: Readonly<Record<string, string>>, i: number) =>
  Object.fromEntries(DATA.map(({ at }) => [at, errors[`actions[${i}].${at}`]]))
