import { useSignal } from '@preact/signals'
import { Smartphone, Trash2 } from 'lucide'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useGet } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { toast } from '../../parts/overlays.tsx'
import { PLATFORMS } from '../../parts/platforms.ts'
import { Card, Failed, Note, Skeleton } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { wrongOf } from './words.ts'

type TestDevice = Answer<'/admin/v1/apps/{appId}/test-devices'>['items'][number]

/** Pause between two looks for the result of a test, and the number of looks. */
const LOOK_MS = 700
const LOOKS = 40

export interface Result {
  tone: 'info' | 'good' | 'bad'
  text: string
}

/** Looks again and again until there is a result; undefined when the time is over. */
export async function untilKnown(look: () => Promise<Result | undefined>): Promise<Result | undefined> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const result = await look()
    if (result) return result
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return undefined
}

interface TestProps {
  appId: number
  about: string
  /** A sentence about what is missing before it can be tested; undefined when nothing is. */
  missing: string | undefined
  /** Tells why a device cannot be tested; undefined when it can. */
  offOf(device: TestDevice): string | undefined
  /** Sends it to these devices, and waits for the result. */
  send(devices: readonly TestDevice[]): Promise<Result>
  /** Takes an error of the server, whose fields it may mark. */
  fail(error: unknown): void
}

/** The card that sends what is written to devices of the team. */
export function TestDevices({ appId, about, missing, offOf, send, fail }: TestProps) {
  const path = { appId }
  const list = useGet('/admin/v1/apps/{appId}/test-devices', { path })
  const chosen = useSignal<readonly number[]>([])
  const isBusy = useSignal(false)
  const result = useSignal<Result | undefined>(undefined)
  const devices = list.value.value?.items

  const test = async () => {
    if (isBusy.peek()) return
    isBusy.value = true
    result.value = { tone: 'info', text: 'The test is on its way.' }
    try {
      result.value = await send(devices!.filter(({ id }) => chosen.peek().includes(id)))
    } catch (error) {
      result.value = { tone: 'bad', text: wrongOf(error) }
      fail(error)
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
    <Card title="Send a test" about={about}>
      <div class="stack">
        {list.error.value !== undefined && <Failed error={list.error.value} retry={list.reload} />}
        {!devices && list.error.value === undefined && <Skeleton lines={2} />}
        {devices && devices.length > 0 && (
          <ul class="push-devices">
            {devices.map((device) => (
              <DeviceLine
                key={device.id}
                device={device}
                off={offOf(device)}
                isChosen={chosen.value.includes(device.id)}
                choose={(isOn) => {
                  const others = chosen.peek().filter((one) => one !== device.id)
                  chosen.value = isOn ? [...others, device.id] : others
                }}
                remove={() => remove(device.id, device.name)}
              />
            ))}
          </ul>
        )}
        {devices && devices.length > 0 && (
          <div class="row">
            <Button
              icon={Smartphone}
              isBusy={isBusy.value}
              isOff={chosen.value.length === 0 || missing !== undefined}
              describedBy="test-why"
              onClick={() => test()}
            >
              Send the test
            </Button>
            <span class="quiet small-text" id="test-why">
              {missing ?? (chosen.value.length === 0 ? 'Choose a device.' : '')}
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

interface LineProps {
  device: TestDevice
  off: string | undefined
  isChosen: boolean
  choose(isOn: boolean): void
  remove(): void
}

function DeviceLine({ device, off, isChosen, choose, remove }: LineProps) {
  const { name, platform, deviceModel, deviceName } = device
  return (
    <li>
      <label class="choice">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={off !== undefined}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        <span class="choice-text">
          {name}
          <span title={deviceModel ?? undefined}>
            {off ?? [platform && PLATFORMS[platform].name, deviceName ?? deviceModel].filter(Boolean).join(', ')}
          </span>
        </span>
      </label>
      <IconButton icon={Trash2} size="small" label={`Remove ${name}`} onClick={remove} />
    </li>
  )
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
