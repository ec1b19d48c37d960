import { useSignal } from '@preact/signals'
import { Smartphone, Trash2 } from 'lucide'
import { api, asked, type Body } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useGet } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { toast } from '../../parts/overlays.tsx'
import { PLATFORMS, type Platform, vendorsOf } from '../../parts/platforms.ts'
import { Card, Failed, Note, Skeleton } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { type Compose, missing, sayingOf } from './draft.ts'
import { wrongOf } from './words.ts'

/** Pause between two looks for the result of a test, and the number of looks. */
const LOOK_MS = 700
const LOOKS = 40

interface Result {
  tone: 'info' | 'good' | 'bad'
  text: string
}

/** Sends what is written to devices of the team. */
export function TestSend({ appId, form }: { appId: number; form: Compose }) {
  const path = { appId }
  const list = useGet('/admin/v1/apps/{appId}/test-devices', { path })
  const chosen = useSignal<readonly number[]>([])
  const isBusy = useSignal(false)
  const result = useSignal<Result | undefined>(undefined)
  const devices = list.value.value?.items
  const { 'content.title': title, 'content.message': message } = missing(form.values.value)
  const isWritten = title === undefined && message === undefined

  const send = async () => {
    if (isBusy.peek()) return
    isBusy.value = true
    result.value = { tone: 'info', text: 'The test is on its way.' }
    try {
      const { notification } = await api.post('/admin/v1/apps/{appId}/test-pushes', {
        path,
        body: { devices: [...chosen.peek()], ...sayingOf(form.values.peek()) },
      })
      result.value = await outcomeOf(
        appId,
        notification.id,
        devices!.filter(({ id }) => chosen.peek().includes(id)),
      )
    } catch (error) {
      result.value = { tone: 'bad', text: wrongOf(error) }
      form.fail(error, { isQuiet: true })
    } finally {
      isBusy.value = false
    }
  }
  const remove = async (id: number, name: string) => {
    try {
      await api.delete('/admin/v1/apps/{appId}/test-devices/{id}', { path: { appId, id } })
      chosen.value = chosen.peek().filter((one) => one !== id)
      toast(`${name} is no test device any more.`)
    } catch (error) {
      toast(messageOf(error))
    }
    list.reload()
  }
  return (
    <Card title="Send a test" about="To devices of your team, at once. Quiet hours and caps do not hold it up.">
      <div class="stack">
        {list.error.value !== undefined && <Failed error={list.error.value} retry={list.reload} />}
        {!devices && list.error.value === undefined && <Skeleton lines={2} />}
        {devices && devices.length > 0 && (
          <ul class="push-devices">
            {devices.map(({ id, name, platform, subscribed, deviceModel, deviceName }) => (
              <li key={id}>
                <label class="choice">
                  <input
                    type="checkbox"
                    checked={chosen.value.includes(id)}
                    disabled={!subscribed}
                    onChange={(event) => {
                      const isOn = event.currentTarget.checked
                      chosen.value = isOn ? [...chosen.peek(), id] : chosen.peek().filter((one) => one !== id)
                    }}
                  />
                  <span class="choice-text">
                    {name}
                    <span title={deviceModel ?? undefined}>
                      {subscribed
                        ? [platform && PLATFORMS[platform].name, deviceName ?? deviceModel].filter(Boolean).join(', ')
                        : 'Does not allow pushes'}
                    </span>
                  </span>
                </label>
                <IconButton icon={Trash2} size="small" label={`Remove ${name}`} onClick={() => remove(id, name)} />
              </li>
            ))}
          </ul>
        )}
        {devices && devices.length > 0 && (
          <div class="row">
            <Button
              icon={Smartphone}
              isBusy={isBusy.value}
              isOff={chosen.value.length === 0 || !isWritten}
              describedBy="test-why"
              onClick={() => send()}
            >
              Send the test
            </Button>
            <span class="quiet small-text" id="test-why">
              {!isWritten ? 'Write a title and a message first.' : chosen.value.length === 0 ? 'Choose a device.' : ''}
            </span>
          </div>
        )}
        <div role="status">{result.value && <Note tone={result.value.tone} title={result.value.text} />}</div>
        {devices && (
          <More label="Add a test device" isOpen={devices.length === 0}>
            <NewDevice appId={appId} added={list.reload} />
          </More>
        )}
      </div>
    </Card>
  )
}

/** Waits for what the gateway answers. */
async function outcomeOf(
  appId: number,
  id: number,
  devices: readonly { platform: Platform | null }[],
): Promise<Result> {
  const makers = vendorsOf(devices.map(({ platform }) => platform))
  for (let look = 0; look < LOOKS; look++) {
    const { counts } = await api.get('/admin/v1/apps/{appId}/notifications/{id}', { path: { appId, id } })
    const { audience, accepted, pending, failures, skips } = counts
    if (audience > 0 && pending === 0) {
      const why = [...failures, ...skips].map(({ reason }) => reason).join(', ')
      return accepted === audience
        ? { tone: 'good', text: `Accepted by ${makers}. It should be on the device now.` }
        : { tone: 'bad', text: `${accepted} of ${audience} accepted by ${makers}${why === '' ? '.' : `: ${why}.`}` }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return { tone: 'info', text: `${makers} did not answer yet. The test is in the list of pushes as number ${id}.` }
}

const DEVICE = row.table<Body<'/admin/v1/apps/{appId}/test-devices', 'post'>>()(
  row.text('name', 'Name of the device', { placeholder: 'Phone of Anna', need: 'Give it a name.' }),
  row.text('installId', 'Install id', {
    hint: 'The app’s debug page or its log shows it; so does the page of its user.',
    isMono: true,
    need: 'Write its install id.',
  }),
)

function NewDevice({ appId, added }: { appId: number; added(): void }) {
  const form = useTable(DEVICE, {
    call: (body) => asked('post', '/admin/v1/apps/{appId}/test-devices', { path: { appId }, body }),
    done({ name }) {
      toast(`${name} is a test device now.`)
      form.reset()
      added()
    },
  })
  return <TableForm form={form} submitLabel="Add the device" tone="plain" />
}
