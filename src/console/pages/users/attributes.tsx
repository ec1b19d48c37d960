import { useSignal } from '@preact/signals'
import { Pencil } from 'lucide'
import { asked } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { isObject, NO_OBJECT } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { JsonView } from '../../parts/code.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { KeyValues, More } from '../../parts/values.tsx'
import { may } from '../../state/session.ts'
import { one } from './one-attribute.ts'
import type { UserProps } from './types.ts'

const ATTRIBUTES = '/admin/v1/apps/{appId}/users/{userId}/attributes'

/** Attributes of the person, set by the app and its server, and the form that changes them. */
export function Attributes(props: UserProps) {
  const isOpen = useSignal(false)
  const { appId, profile } = props
  const all = Object.entries(profile.attributes as Record<string, unknown>)
  return (
    <Card
      title="Attributes"
      actions={
        may('operate', appId) && (
          <Button size="small" icon={Pencil} onClick={() => void (isOpen.value = true)}>
            Edit attributes
          </Button>
        )
      }
    >
      {all.length === 0 ? (
        <p class="quiet">None yet. Your app or your server writes them, and segments ask for them.</p>
      ) : (
        <KeyValues items={all.map(([name, value]) => [name, <Value key={name} of={value} />])} />
      )}
      {isOpen.value && <Editor {...props} onClose={() => void (isOpen.value = false)} />}
    </Card>
  )
}

function Value({ of }: { of: unknown }) {
  if (typeof of === 'object' && of !== null) {
    return (
      <More label={Array.isArray(of) ? countOf(of.length, 'value') : countOf(Object.keys(of).length, 'member')}>
        <JsonView value={of} />
      </More>
    )
  }
  return (
    <span class="user-name">
      {typeof of === 'boolean'
        ? of
          ? 'yes'
          : 'no'
        : of === null
          ? '•••'
          : typeof of === 'string'
            ? of
            : JSON.stringify(of)}
    </span>
  )
}

const countOf = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

const FORM = row.table<Record<string, unknown>>()(
  row.halves(
    row.text('name', 'Name', {
      hint: 'A new one, or one that is there.',
      placeholder: 'plan',
      check: (name) => (/[.\s]$/.test(name) ? 'A name does not end with a dot or a space.' : undefined),
    }),
    row.text('value', 'Value', {
      hint: 'A number, true or false, or text. Empty removes the attribute.',
      placeholder: 'gold',
    }),
  ),
  row.json('all', 'All attributes', { check: (all) => (isObject(all) ? undefined : NO_OBJECT) }),
)

/** Changes one attribute, or all of them as JSON. */
function Editor({ appId, profile, reload, onClose }: UserProps & { onClose(): void }) {
  const path = { appId, userId: profile.identifier }
  const form = useTable(FORM, {
    first: { all: profile.attributes },
    check: ({ name, all }) =>
      name.trim() === '' && all === profile.attributes ? { name: 'Name an attribute, or change the JSON.' } : {},
    call: (_, { name, value, all }) =>
      name.trim() === ''
        ? asked('put', ATTRIBUTES, { path, body: all as Record<string, unknown> })
        : asked('patch', ATTRIBUTES, { path, body: one(name, value) }),
    done() {
      toast('The attributes are stored.')
      onClose()
      reload()
    },
  })
  const { name, value, all } = form.values.value
  const isNamed = name.trim() !== ''
  const verb = isNamed && value.trim() === '' ? 'Remove' : 'Store'
  return (
    <Dialog title="Edit attributes" onClose={onClose} isWide>
      <TableForm
        form={form}
        submitLabel={isNamed || all === profile.attributes ? `${verb} this attribute` : 'Replace all attributes'}
        cancel={onClose}
        extras={{
          all: () => (
            <More label="All of them as JSON" isOpen={all !== profile.attributes}>
              <JsonField {...form.field('all')} label="All attributes" rows={10} />
            </More>
          ),
        }}
      />
    </Dialog>
  )
}
