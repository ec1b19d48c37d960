import { channelsPath, fateOf, purposesPath } from '../../core/src/index.ts'
import type { App, Channel, Purpose } from './api.ts'
import type { Answer, Device } from './device.ts'

/** The body of an answer. Throws what the server says about a refusal. */
function bodyOf({ status, body }: Answer): unknown {
  if (status < 300) return body
  throw new Error(`appsvc: the server answers ${status} ${JSON.stringify(body)}`)
}

/** Channels of this install. */
export function createChannels(device: Device): App['channels'] {
  async function change(method: string, uuids: string[]): Promise<void> {
    bodyOf(await device.call(`${channelsPath(await device.installId)}/subscriptions`, { method, body: { uuids } }))
  }
  return {
    list: async () => bodyOf(await device.call(channelsPath(await device.installId))) as Channel[],
    subscribe: (...uuids) => change('POST', uuids),
    unsubscribe: (...uuids) => change('DELETE', uuids),
  }
}

/** Purposes that the user allows. */
export function createConsent(device: Device): App['consent'] {
  device.onFlush(sendAll)

  /** Sends the choices that wait: those that could not be sent when they were made. */
  async function sendAll(): Promise<void> {
    for (const [user, choices] of Object.entries((await device.get('choices')) ?? {}))
      for (const purpose of Object.keys(choices)) await send(user, purpose)
  }

  /** Sends one choice, and forgets it then. Undefined when it cannot be sent now: a refusal is never lost. */
  async function send(user: string, purpose: string): Promise<Answer | undefined> {
    const choice = (await device.get('choices'))?.[user]?.[purpose]
    const body = { [purpose]: choice }
    const answer = await device.call(purposesPath(user), { method: 'PUT', body }).catch(() => undefined)
    const fate = fateOf(answer?.status)
    if (fate === 'later' || fate === 'locked') return undefined
    await device.change('choices', (all = {}) => {
      const { [purpose]: now, ...others } = all[user] ?? {}
      // The person may have changed their mind meanwhile.
      if (now !== choice) return all
      const { [user]: _, ...rest } = all
      return Object.keys(others).length > 0 ? { ...rest, [user]: others } : rest
    })
    return answer
  }

  return {
    async list() {
      const { purposes } = bodyOf(await device.call(purposesPath(await device.userName()))) as { purposes: Purpose[] }
      return purposes
    },
    async set(purpose, isAllowed) {
      const user = await device.userName()
      await device.change('choices', (all = {}) => ({ ...all, [user]: { ...all[user], [purpose]: isAllowed } }))
      const answer = await send(user, purpose)
      if (answer) bodyOf(answer)
    },
  }
}
