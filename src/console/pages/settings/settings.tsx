import { useSignal } from '@preact/signals'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { valuesOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { KeyValues, Time } from '../../parts/values.tsx'
import { zoneChoices } from '../../parts/zones.ts'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { currentApp, isTaken, may, readApps, withName } from '../../state/session.ts'

const APP = '/admin/v1/apps/{appId}'
const LOG = '/admin/v1/apps/{appId}/events/settings'
type App = Answer<typeof APP>

/** Settings of an app: its name, zone and icon, what enters its event log, and its deletion. */
export default function AppSettings({ appId }: PageProps) {
  const app = useGet(APP, { path: { appId } })
  const log = useGet(LOG, { path: { appId } })
  return (
    <div class="page narrow">
      <PageHead
        title="App settings"
        about="What belongs to this app alone. Settings of the whole server are in its file."
      />
      <Reading of={app} lines={6}>
        {(now) => (
          <>
            <Card title="The app">
              <div class="stack">
                <KeyValues
                  items={[
                    ['Number', now.id],
                    ['Created', <Time key="created" at={now.created} />],
                  ]}
                />
                <AppForm app={now} onSaved={app.set} />
              </div>
            </Card>
            <Card title="Event log" about="Followers, webhooks and your servers read the log of events.">
              <Reading of={log} lines={3}>
                {(settings) => <LogForm appId={appId} settings={settings} onSaved={log.set} />}
              </Reading>
            </Card>
            <Elsewhere appId={appId} />
            {may('own', appId) && <Deletion app={now} />}
          </>
        )}
      </Reading>
    </div>
  )
}

const orNone = { isOptional: true, empty: 'null', off: 'off' } as const
const SETTINGS = row.table<Body<typeof APP, 'patch'>>()(
  row.text('name', 'Name', { hint: 'Your team sees it here.', need: 'Give it a name.', flag: 'name' }),
  ...row.duplicate(({ name }) => isTaken(name, currentApp.value?.name)),
  row.select('timezone', 'Time zone', {
    ...orNone,
    hint: 'Schedules begin with it, and Home counts sends by its days.',
    flag: 'timezone',
  }),
  row.picture('iconUrl', 'Icon', {
    ...orNone,
    hint: 'A square picture of this app. It stands beside its name and on the pages of its links.',
    flag: 'icon',
  }),
)

function AppForm({ app, onSaved }: { app: App; onSaved(app: App): void }) {
  const path = { appId: app.id }
  const form = useTable(SETTINGS, {
    of: app,
    read: () => api.get(APP, { path }),
    call: (body) => withName(asked('patch', APP, { path, body }), body.name),
    async done(saved) {
      onSaved(saved)
      form.reset(valuesOf(SETTINGS, saved))
      toast('The settings are saved.')
      await readApps()
    },
  })
  return (
    <TableForm
      form={form}
      extras={{
        timezone: {
          options: [
            { value: '', label: 'That of each person’s browser' },
            ...zoneChoices(form.values.value.timezone || 'UTC'),
          ],
        },
      }}
      submitLabel="Save the settings"
      command={command`apps settings ${app.id} ${form.flags}`}
    />
  )
}

const ENTRIES = row.table<Body<typeof LOG, 'put'>>()(
  row.toggle('deliveries', 'Keep results of pushes in the event log', {
    hint: 'Each page of recipients enters it as it closes. A webhook that includes deliveries has the same effect.',
  }),
)

interface LogProps {
  appId: number
  settings: Answer<typeof LOG>
  onSaved(settings: Answer<typeof LOG>): void
}

function LogForm({ appId, settings, onSaved }: LogProps) {
  const path = { appId }
  const form = useTable(ENTRIES, {
    of: settings,
    read: () => api.get(LOG, { path }),
    call: (body) => asked('put', LOG, { path, body }),
    done(saved) {
      onSaved(saved)
      form.reset(valuesOf(ENTRIES, saved))
      toast('The event log is set.')
    },
  })
  const flag = form.values.value.deliveries ? '--deliveries' : '--no-deliveries'
  return (
    <TableForm
      form={form}
      tone="plain"
      submitLabel="Save the event log"
      command={command`events settings --app ${appId} ${[flag]}`}
    />
  )
}

/** Settings that have pages of their own. */
function Elsewhere({ appId }: { appId: number }) {
  return (
    <Card title="On other pages">
      <KeyValues
        items={[
          [
            'Quiet hours, caps, purposes',
            <a key="rules" href={href(`/apps/${appId}/restraint`)}>
              Rules
            </a>,
          ],
          [
            'A second person for pushes',
            <a key="approvals" href={href(`/apps/${appId}/push/approvals`)}>
              Approvals
            </a>,
          ],
          [
            'Page of links',
            <a key="links" href={href(`/apps/${appId}/links/settings`)}>
              Link settings
            </a>,
          ],
        ]}
      />
    </Card>
  )
}

function Deletion({ app: { id, name } }: { app: App }) {
  const isAsking = useSignal(false)
  return (
    <Card title="Delete the app" about="Its keys end at once, and nothing more is sent for it.">
      <div>
        <Button tone="danger" onClick={() => (isAsking.value = true)}>
          Delete the app
        </Button>
      </div>
      {isAsking.value && (
        <ConfirmDialog
          title={`Delete the app ${name}?`}
          action="Delete the app"
          typed={name}
          run={async () => {
            await api.delete(APP, { path: { appId: id } })
            toast(`${name} is deleted.`)
            await readApps()
            navigate('/')
          }}
          onClose={() => (isAsking.value = false)}
        >
          <p>Its users, devices, pushes, reports, templates, tables and links are deleted. This cannot be undone.</p>
          <p>A large app takes minutes. Keep this page open; if it breaks off, delete the app again.</p>
          <AsCommand command={command`apps delete ${id}`} call={{ method: 'DELETE', path: `/admin/v1/apps/${id}` }} />
        </ConfirmDialog>
      )}
    </Card>
  )
}
