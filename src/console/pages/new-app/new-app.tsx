import { useSignal } from '@preact/signals'
import { type Answer, api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { KeyValues, Masked } from '../../parts/values.tsx'
import { href } from '../../shell/router.ts'
import { readApps } from '../../shell/session.ts'

/** A new app: only its name is needed. Then its keys, which are shown this once. */
export default function NewApp() {
  const made = useSignal<Answer<'/admin/v1/apps', 'post'> | undefined>(undefined)
  const form = useForm(
    { name: '' },
    {
      draft: 'new-app',
      check: ({ name }) => ({ name: name.trim() === '' ? 'Give it a name.' : undefined }),
      submit: async ({ name }) => {
        made.value = await api.post('/admin/v1/apps', { body: { name: name.trim() } })
        await readApps()
      },
    },
  )
  if (made.value) return <Keys app={made.value} />
  const name = form.values.value.name.trim() || 'My app'
  return (
    <div class="page narrow">
      <PageHead
        title="New app"
        about="An app has its own users, keys, gateways and links. Its iOS, Android and web versions share it."
      />
      <Card>
        <Form
          form={form}
          submitLabel="Create the app"
          also={
            <AsCommand
              command={command`apps create ${name}`}
              call={{ method: 'POST', path: '/admin/v1/apps', body: { name } }}
            />
          }
        >
          <TextField {...form.field('name')} label="Name" hint="Your team sees it here." autoFocus />
        </Form>
      </Card>
    </div>
  )
}

function Keys({ app }: { app: Answer<'/admin/v1/apps', 'post'> }) {
  return (
    <div class="page narrow">
      <PageHead title={`${app.name} is ready`} about="Its phones and your server find it by these keys." />
      <Card
        title="Keys"
        foot={
          <Button tone="primary" href={href(`/apps/${app.id}/gateways`)}>
            Set up its gateways
          </Button>
        }
      >
        <div class="stack">
          <Note tone="warn" title="They are shown this once. Keep the server key and the secret key in a safe place." />
          <KeyValues
            items={[
              ['API key', <Masked key="api" value={app.apiKey} what="API key" />],
              ['Secret key, for devices', <Masked key="secret" value={app.secretKey} what="secret key" />],
              ['Server key', <Masked key="server" value={app.serverKey} what="server key" />],
            ]}
          />
        </div>
      </Card>
    </div>
  )
}
