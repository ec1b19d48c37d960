import { api } from '../../api/client.ts'
import { type Platform, vendorsOf } from '../../parts/platforms.ts'
import { type Compose, missing, sayingOf } from './draft.ts'
import { type Result, TestDevices, untilKnown } from './test-devices.tsx'

/** Sends what is written to devices of the team. */
export function TestSend({ appId, form }: { appId: number; form: Compose }) {
  const { 'content.title': title, 'content.message': message } = missing(form.values.value)
  const isWritten = title === undefined && message === undefined
  return (
    <TestDevices
      appId={appId}
      about="To devices of your team, at once. Quiet hours and caps do not hold it up."
      missing={isWritten ? undefined : 'Write a title and a message first.'}
      offOf={({ subscribed }) => (subscribed ? undefined : 'Does not allow pushes')}
      send={async (devices) => {
        const { notification } = await api.post('/admin/v1/apps/{appId}/test-pushes', {
          path: { appId },
          body: { devices: devices.map(({ id }) => id), ...sayingOf(form.values.peek()) },
        })
        return outcomeOf(appId, notification.id, devices)
      }}
      fail={(error) => void form.fail(error, { isQuiet: true })}
    />
  )
}

/** Waits for what the gateway answers. */
async function outcomeOf(
  appId: number,
  id: number,
  devices: readonly { platform: Platform | null }[],
): Promise<Result> {
  const makers = vendorsOf(devices.map(({ platform }) => platform))
  const known = await untilKnown(async () => {
    const { counts } = await api.get('/admin/v1/apps/{appId}/notifications/{id}', { path: { appId, id } })
    const { audience, accepted, pending, failures, skips } = counts
    if (audience === 0 || pending > 0) return undefined
    const why = [...failures, ...skips].map(({ reason }) => reason).join(', ')
    return accepted === audience
      ? { tone: 'good', text: `Accepted by ${makers}. It should be on the device now.` }
      : { tone: 'bad', text: `${accepted} of ${audience} accepted by ${makers}${why === '' ? '.' : `: ${why}.`}` }
  })
  return (
    known ?? {
      tone: 'info',
      text: `${makers} did not answer yet. The test is in the list of pushes as number ${id}.`,
    }
  )
}
