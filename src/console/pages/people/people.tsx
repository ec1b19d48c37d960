import { useSignal } from '@preact/signals'
import { UserPlus, UsersRound } from 'lucide'
import { api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, Menu, toast } from '../../parts/overlays.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { apps, session } from '../../state/session.ts'
import { Invite } from './invite.tsx'
import { type Person, roleLabel } from './role-words.ts'
import { RolesDialog } from './roles.tsx'

/** A one-time link to hand over. */
interface Handed {
  name: string
  link: string
  expires: string
}

/** People who may use the console, with their roles. */
export default function People() {
  const list = usePages('/admin/v1/admins', {}, 'items')
  const isInviting = useSignal(false)
  const changing = useSignal<Person | undefined>(undefined)
  const removing = useSignal<Person | undefined>(undefined)
  const handed = useSignal<Handed | undefined>(undefined)
  const reset = async ({ id, name }: Person) => {
    const { link, expires } = await api.post('/admin/v1/admins/{id}/reset', { path: { id }, body: {} })
    handed.value = { name, link, expires }
  }
  return (
    <div class="page">
      <PageHead
        title="People"
        about="Who may use the console and the command line from elsewhere, and what they may do."
        actions={
          <Button tone="primary" icon={UserPlus} onClick={() => (isInviting.value = true)}>
            Invite somebody
          </Button>
        }
      />
      <Card isFlush>
        <ListTable
          label="People"
          list={list}
          keyOf={({ id }) => id}
          empty={{ icon: UsersRound, title: 'Nobody yet' }}
          columns={[
            ...columnsFor(session.value?.person.id),
            {
              title: '',
              isTight: true,
              cell: (person) => (
                <Actions
                  person={person}
                  onRoles={() => (changing.value = person)}
                  onReset={() => void reset(person).catch((error: unknown) => toast(messageOf(error)))}
                  onRemove={() => (removing.value = person)}
                />
              ),
            },
          ]}
        />
      </Card>
      {isInviting.value && (
        <Invite
          onClose={() => (isInviting.value = false)}
          onMade={(made) => {
            isInviting.value = false
            handed.value = made
            list.reload()
          }}
        />
      )}
      {changing.value && (
        <RolesDialog
          person={changing.value}
          onClose={() => (changing.value = undefined)}
          onDone={() => {
            changing.value = undefined
            list.reload()
          }}
        />
      )}
      {removing.value && (
        <Remove person={removing.value} onDone={list.reload} onClose={() => (removing.value = undefined)} />
      )}
      {handed.value && <HandOver {...handed.value} onClose={() => (handed.value = undefined)} />}
    </div>
  )
}

/** Columns of the list. `me`: number of the signed-in person. */
const columnsFor = (me: number | undefined): Column<Person>[] => [
  {
    title: 'Person',
    cell: ({ id, name, email }) => (
      <>
        {name} {id === me && <Badge tone="accent">You</Badge>}
        <div class="quiet small-text">{email}</div>
      </>
    ),
  },
  {
    title: 'Roles',
    cell: ({ roles }) => (
      <span class="row">
        {roles.length === 0 && <span class="quiet">None</span>}
        {roles.map((role) => (
          <Badge key={`${role.appId}`} isPlain>
            {roleLabel(role, apps.value ?? [])}
          </Badge>
        ))}
      </span>
    ),
  },
  {
    title: 'Sign-in',
    cell: ({ id, hasPassword, hasTotp }) =>
      !hasPassword ? (
        <Badge tone="warn">{id === me ? 'No password' : 'Invited'}</Badge>
      ) : hasTotp ? (
        <Badge tone="good">Two steps</Badge>
      ) : (
        <Badge>Password</Badge>
      ),
  },
  { title: 'Added', isTight: true, cell: ({ created }) => <Time at={created} /> },
]

interface ActionsProps {
  person: Person
  onRoles(): void
  onReset(): void
  onRemove(): void
}

/** The menu of a person. Nobody removes themselves. */
function Actions({ person, onRoles, onReset, onRemove }: ActionsProps) {
  const removal = { label: 'Remove access', tone: 'danger', isApart: true, run: onRemove } as const
  return (
    <Menu
      label={`Actions for ${person.name}`}
      button="Change"
      items={[
        { label: 'Change roles', run: onRoles },
        { label: person.hasPassword ? 'New one-time link' : 'New invitation link', run: onReset },
        ...(person.id === session.value?.person.id ? [] : [removal]),
      ]}
    />
  )
}

function Remove({ person, onDone, onClose }: { person: Person; onDone(): void; onClose(): void }) {
  const { id, name } = person
  return (
    <ConfirmDialog
      title={`Take all access away from ${name}?`}
      action="Remove access"
      run={async () => {
        await api.delete('/admin/v1/admins/{id}', { path: { id } })
        toast(`${name} has no access any more.`)
        onDone()
      }}
      onClose={onClose}
    >
      <p>Sessions and personal tokens stop working at once. What the person did stays in the audit log.</p>
    </ConfirmDialog>
  )
}

function HandOver({ name, link, expires, onClose }: Handed & { onClose(): void }) {
  return (
    <ShownOnce
      title={`Hand this link to ${name}`}
      value={link}
      warning="It works once, and opens the account. Send it over a channel that you trust."
      about={
        <>
          It works until <Time at={expires} isExact />. If it is lost, make a new one in the menu of {name}: this one
          ends then.
        </>
      }
      file="one-time-link.txt"
      onClose={onClose}
    />
  )
}
