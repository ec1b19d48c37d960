import { useSignal } from '@preact/signals'
import { UserPlus, UsersRound } from 'lucide'
import { api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { usePages } from '../../api/load.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { ConfirmDialog, Dialog, Menu, toast } from '../../parts/overlays.tsx'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { apps, session } from '../../state/session.ts'
import { Invite } from './invite.tsx'
import { type Person, roleLabel } from './role-words.ts'
import { RolesDialog } from './roles.tsx'

/** A one-time address to hand over. */
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
  const me = session.value?.person.id
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
            {
              title: 'Person',
              cell: ({ id, name, email }) => (
                <span class="stack tight">
                  <span class="row">
                    {name} {id === me && <Badge tone="accent">You</Badge>}
                  </span>
                  <span class="quiet small-text">{email}</span>
                </span>
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
              cell: ({ hasPassword, hasTotp }) =>
                !hasPassword ? (
                  <Badge tone="warn">Invited</Badge>
                ) : hasTotp ? (
                  <Badge tone="good">Two steps</Badge>
                ) : (
                  <Badge>Password</Badge>
                ),
            },
            { title: 'Added', isTight: true, cell: ({ created }) => <Time at={created} /> },
            {
              title: '',
              isTight: true,
              cell: (person) => (
                <Menu
                  label={`Actions for ${person.name}`}
                  button="Change"
                  items={[
                    { label: 'Change roles', run: () => (changing.value = person) },
                    {
                      label: person.hasPassword ? 'New one-time address' : 'Invite again',
                      run: () => void reset(person).catch((error: unknown) => toast(messageOf(error))),
                    },
                    ...(person.id === me
                      ? []
                      : [
                          {
                            label: 'Take access away',
                            tone: 'danger' as const,
                            isApart: true,
                            run: () => (removing.value = person),
                          },
                        ]),
                  ]}
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
        <ConfirmDialog
          title={`Take all access away from ${removing.value.name}?`}
          action="Take access away"
          run={async () => {
            await api.delete('/admin/v1/admins/{id}', { path: { id: removing.value!.id } })
            toast(`${removing.value!.name} has no access any more.`)
            list.reload()
          }}
          onClose={() => (removing.value = undefined)}
        >
          <p>Sessions and personal tokens stop working at once. What the person did stays in the audit log.</p>
        </ConfirmDialog>
      )}
      {handed.value && <HandOver {...handed.value} onClose={() => (handed.value = undefined)} />}
    </div>
  )
}

function HandOver({ name, link, expires, onClose }: Handed & { onClose(): void }) {
  return (
    <Dialog title={`Hand this address to ${name}`} onClose={onClose}>
      <div class="stack">
        <Note
          tone="warn"
          title="It is shown this once, works once, and opens the account. Send it over a channel that you trust."
        />
        <p class="mono">{link}</p>
        <p class="quiet">
          It works until <Time at={expires} isExact />.
        </p>
        <div class="dialog-foot">
          <CopyButton text={link} label="Copy the address" />
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  )
}
