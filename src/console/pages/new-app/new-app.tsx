import { useSignal } from '@preact/signals'
import { type Answer, asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { command } from '../../parts/shell-words.ts'
import { ShownOnPage } from '../../parts/shown-once.tsx'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { KeyValues, Masked } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import { isTaken, readApps, withName } from '../../state/session.ts'
import { FirstInstall } from '../keys/first-install.tsx'
import { Snippets } from '../keys/snippets.tsx'

const APP = row.table<Body<'/admin/v1/apps', 'post'>>()(
  row.text('name', 'Name', {
    hint: 'Your team sees it here.',
    autoFocus: true,
    sample: 'My app',
    need: 'Give it a name.',
  }),
  ...row.duplicate(({ name }) => isTaken(name)),
)

/** A new app: only its name is needed. Then its keys, which are shown this once. */
export default function NewApp() {
  const made = useSignal<Answer<'/admin/v1/apps', 'post'> | undefined>(undefined)
  const form = useTable(APP, {
    draft: 'new-app',
    call: (body) => withName(asked('post', '/admin/v1/apps', { body }), body.name),
    async done(app) {
      made.value = app
      await readApps()
    },
  })
  if (made.value) return <Keys app={made.value} />
  return (
    <div class="page narrow">
      <PageHead
        title="New app"
        about="An app has its own users, keys, gateways and links. Its versions for iPhone, Android and browsers share it."
      />
      <Card>
        <TableForm
          form={form}
          submitLabel="Create the app"
          command={command`apps create ${form.shown.name.trim()} ${form.flags}`}
        />
      </Card>
    </div>
  )
}

function Keys({ app }: { app: Answer<'/admin/v1/apps', 'post'> }) {
  return (
    <div class="page narrow">
      <PageHead title={`${app.name} is ready`} about="Its phones and your server find it by these keys." />
      <Card title="Keys">
        <ShownOnPage
          text={`API key: ${app.apiKey}\nSecret key: ${app.secretKey}\nServer key: ${app.serverKey}`}
          file="app-keys.txt"
          actions={<Button href={href(`/apps/${app.id}/gateways`)}>Set up its gateways</Button>}
        >
          <Note tone="warn" title="They are shown this once. Keep the server key and the secret key in a safe place." />
          <KeyValues
            items={[
              ['API key', <Masked key="api" value={app.apiKey} what="API key" />],
              ['Secret key, for devices', <Masked key="secret" value={app.secretKey} what="secret key" />],
              ['Server key', <Masked key="server" value={app.serverKey} what="server key" />],
            ]}
          />
        </ShownOnPage>
      </Card>
      <Snippets appId={app.id} secretKey={app.secretKey} serverKey={app.serverKey} />
      <FirstInstall appId={app.id} />
    </div>
  )
}
