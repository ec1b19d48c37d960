import { useSignal } from '@preact/signals'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { TextField } from '../../parts/field.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note } from '../../parts/surfaces.tsx'
import { useWork } from '../../parts/use-work.ts'
import { Time } from '../../parts/values.tsx'
import { may } from '../../state/session.ts'
import type { Profile, UserProps } from './types.ts'

type Purpose = Profile['purposes'][number]

/** Purposes that the person allows, and the suppression list. */
export function Consent(props: UserProps) {
  const { appId, profile, reload } = props
  const mayChange = may('operate', appId)
  const isAsking = useSignal(false)
  const reason = useSignal('')
  const { suppression } = profile
  const address = `/admin/v1/apps/${appId}/suppressions/${encodeURIComponent(profile.identifier)}`
  const path = { appId, identifier: profile.identifier }
  const change = async () => {
    if (suppression) await api.delete('/admin/v1/apps/{appId}/suppressions/{identifier}', { path })
    else {
      const body = reason.peek().trim() === '' ? {} : { reason: reason.peek().trim() }
      await api.put('/admin/v1/apps/{appId}/suppressions/{identifier}', { path, body })
    }
    toast(suppression ? 'They get messages again.' : 'They are on the suppression list.')
    reload()
  }
  return (
    <Card title="Consent">
      <div class="stack">
        {suppression && (
          <Note tone="warn" title="On the suppression list: they get no pushes.">
            <span>
              Since <Time at={suppression.at} isExact />
              {suppression.reason ? `: ${suppression.reason}` : ''}
            </span>
          </Note>
        )}
        {profile.purposes.length === 0 ? (
          <p class="quiet">The app has no purposes to choose from.</p>
        ) : (
          <ul class="plain-list rows">
            {profile.purposes.map((purpose) => (
              <li key={purpose.uid}>
                <PurposeRow {...props} purpose={purpose} mayChange={mayChange} />
              </li>
            ))}
          </ul>
        )}
        {mayChange && (
          <div>
            <Button size="small" onClick={() => void (isAsking.value = true)}>
              {suppression ? 'Take off the suppression list' : 'Put on the suppression list'}
            </Button>
          </div>
        )}
      </div>
      {isAsking.value && (
        <ConfirmDialog
          title={suppression ? 'Take off the suppression list?' : 'Put on the suppression list?'}
          action={suppression ? 'Take them off' : 'Put them on the list'}
          tone="primary"
          run={change}
          onClose={() => void (isAsking.value = false)}
        >
          <p>
            {suppression
              ? 'They get pushes again. Do it only if they asked for it.'
              : 'They get no push any more, of whatever purpose, until they are taken off.'}
          </p>
          {!suppression && (
            <TextField
              label="Reason"
              isOptional
              value={reason.value}
              onChange={(text) => void (reason.value = text)}
              placeholder="asked by letter"
            />
          )}
          <AsCommand
            call={
              suppression
                ? { method: 'DELETE', path: address }
                : { method: 'PUT', path: address, body: { reason: reason.value } }
            }
          />
        </ConfirmDialog>
      )}
    </Card>
  )
}

function PurposeRow({
  appId,
  profile,
  reload,
  purpose,
  mayChange,
}: UserProps & { purpose: Purpose; mayChange: boolean }) {
  const { isBusy, run } = useWork(toast)
  const { uid, name, required, allowed, choice } = purpose
  const path = { appId, userId: profile.identifier }
  const set = () =>
    run(async () => {
      await api.put('/admin/v1/apps/{appId}/users/{userId}/choices', { path, body: { [uid]: !allowed } })
      reload()
    })
  return (
    <div
      class="row spread"
      title={command`users purposes ${profile.identifier} --app ${appId} ${allowed ? '--refuse' : '--allow'} ${uid}`}
    >
      <span class="user-name">
        {name} <Badge tone={allowed ? 'good' : 'quiet'}>{allowed ? 'allowed' : 'refused'}</Badge>
        <span class="quiet small-text user-line">
          {required ? (
            'cannot be refused'
          ) : choice ? (
            <>
              {SOURCES[choice.source] ?? choice.source}, <Time at={choice.at} />
            </>
          ) : (
            'by default'
          )}
        </span>
      </span>
      {mayChange && !required && (
        <Button size="small" isBusy={isBusy.value} onClick={() => set()}>
          {allowed ? 'Refuse' : 'Allow'}
          <span class="hidden"> {name}</span>
        </Button>
      )}
    </div>
  )
}

const SOURCES: Readonly<Record<string, string>> = {
  device: 'chosen in the app',
  page: 'chosen on the page of preferences',
  server: 'told by a server',
}
