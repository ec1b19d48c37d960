import { Plus, X } from 'lucide'
import { Button, IconButton } from '../../parts/button.tsx'
import { SelectField } from '../../parts/field.tsx'
import { apps } from '../../state/session.ts'
import { type GivenRole, ROLES } from './role-words.ts'

const SERVER = 'server'

interface RoleFieldsProps {
  value: readonly GivenRole[]
  onChange(value: readonly GivenRole[]): void
  error?: string | undefined
}

/** Roles, one in each row: what somebody may do, and where. */
export function RoleFields({ value, onChange, error }: RoleFieldsProps) {
  const places = [
    { value: SERVER, label: 'The whole server' },
    ...(apps.value ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
  ]
  const free = places.find(({ value: place }) => value.every(({ appId }) => String(appId ?? SERVER) !== place))
  const change = (at: number, changes: Partial<GivenRole>) =>
    onChange(value.map((one, i) => (i === at ? { ...one, ...changes } : one)))
  return (
    <fieldset class="stack">
      <legend class="choices-legend">Roles</legend>
      {value.map(({ appId, role }, i) => (
        <div key={`${appId}-${i}`} class="row">
          <SelectField
            label="May do"
            value={role}
            options={ROLES.map(({ value: one, label }) => ({ value: one, label }))}
            hint={ROLES.find(({ value: one }) => one === role)?.about}
            onChange={(next) => change(i, { role: next })}
          />
          <SelectField
            label="In"
            value={String(appId ?? SERVER)}
            options={places}
            hint={appId === null ? 'Every app, also new ones.' : 'This app alone.'}
            onChange={(next) => change(i, { appId: next === SERVER ? null : Number(next) })}
          />
          {value.length > 1 && (
            <IconButton icon={X} label="Remove this role" onClick={() => onChange(value.filter((_, at) => at !== i))} />
          )}
        </div>
      ))}
      {error !== undefined && <p class="field-error">{error}</p>}
      {free && (
        <div>
          <Button
            size="small"
            icon={Plus}
            onClick={() =>
              onChange([...value, { appId: free.value === SERVER ? null : Number(free.value), role: 'viewer' }])
            }
          >
            Another role
          </Button>
        </div>
      )}
    </fieldset>
  )
}
