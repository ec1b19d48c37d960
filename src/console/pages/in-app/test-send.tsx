import { api } from '../../api/client.ts'
import { type Result, TestDevices, untilKnown } from '../push/test-devices.tsx'
import { isWritten, sayingOf } from './draft.ts'
import { people } from './words.ts'
import type { Writing } from './written.tsx'

const FAILED = 5

/** Sends what is written to the people of the team's devices. */
export function TestSend({ writing: { appId, form, template } }: { writing: Writing }) {
  const draft = form.values.value
  const missing = isWritten(template.value.value?.tags, draft)
    ? undefined
    : draft.template === ''
      ? 'Choose a template first.'
      : 'Fill in its texts first.'
  return (
    <TestDevices
      appId={appId}
      about="To the people of your team’s devices, at once, for an hour. Purposes do not hold it up."
      missing={missing}
      offOf={() => undefined}
      send={async (devices) => {
        const { message, errors } = await api.post('/admin/v1/apps/{appId}/test-in-app-messages', {
          path: { appId },
          body: { devices: devices.map(({ id }) => id), ...sayingOf(form.values.peek()) },
        })
        return outcomeOf(appId, message.id, errors?.unsubscribedInstallIds?.length ?? 0)
      }}
      fail={(error) => void form.fail(error, { isQuiet: true })}
    />
  )
}

/** Waits until the people have the message; devices show it when they ask next. `off`: devices whose people want none. */
async function outcomeOf(appId: number, id: number, off: number): Promise<Result> {
  const known = await untilKnown(async () => {
    const path = { appId, id }
    const { status, statusReason, counts } = await api.get('/admin/v1/apps/{appId}/in-app-messages/{id}', { path })
    if (status === FAILED) return { tone: 'bad', text: `Nobody got it: ${statusReason ?? 'the server says no more'}.` }
    if (counts.recipients === 0) return undefined
    const but = off === 0 ? '' : ` In-app messages are turned off on ${off === 1 ? 'one device' : `${off} devices`}.`
    const has = counts.recipients === 1 ? 'has' : 'have'
    return {
      tone: 'good',
      text: `${people(counts.recipients)} ${has} it. It appears when the app is open there.${but}`,
    }
  })
  return known ?? { tone: 'info', text: `It is still on its way, as message number ${id}.` }
}
