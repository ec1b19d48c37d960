import { USER_ASSOCIATED, USER_CLEARED } from '../../core/src/index.ts'
import type { App, Data } from './api.ts'
import type { Device } from './device.ts'
import type { KnownUser } from './store.ts'

/** The user of the app. `onChange` runs when it is somebody else, before their first sync. */
export function createUser(device: Device, onChange: () => Promise<void>): App['user'] {
  /** Remembers the user, and reports them when they are not the one before. `event` is told who that was. */
  async function become(
    next: KnownUser | undefined,
    event: (before: string) => [type: string, data: Data],
  ): Promise<void> {
    const before = await device.change('user', () => next)
    if (JSON.stringify(before) === JSON.stringify(next)) return
    const isOther = before?.id !== next?.id
    if (isOther) {
      await device.change('messages', () => undefined)
      await device.change('syncedTo', () => undefined)
      device.tell('inbox.changed', { unread: 0 })
    }
    await device.track(...event(before?.name ?? (await device.installId)))
    if (isOther) await onChange()
    await device.flush()
  }

  return {
    is: (id, { token: name = id, attributes } = {}) =>
      become({ id, name, told: JSON.stringify(attributes) ?? '' }, () => [
        USER_ASSOCIATED,
        { id: name, ...(attributes && { attributes }) },
      ]),
    isNobody: () => become(undefined, (oldUserIdentifier) => [USER_CLEARED, { oldUserIdentifier }]),
  }
}
