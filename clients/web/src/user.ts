import { IN_APP_CONSENT, USER_ASSOCIATED, USER_CLEARED } from '../../core/src/index.ts'
import type { App, Data } from './api.ts'
import type { Page } from './page.ts'
import { changes, type KnownUser } from './store.ts'

/** The user of the browser. `onChange` runs when it is somebody else. */
export function createUser(page: Page, onChange: () => void): App['user'] {
  /** Remembers the user, and reports them when they are not the one before. `event` is told who that was. */
  async function become(
    next: KnownUser | undefined,
    event: (before: string) => [type: string, data: Data],
  ): Promise<void> {
    let before: KnownUser | undefined
    await page.change('user', (known) => {
      before = known
      return next
    })
    if (JSON.stringify(before) === JSON.stringify(next)) return
    if (before?.id !== next?.id) {
      await page.change('messages', () => undefined)
      await page.change('syncedTo', () => undefined)
    }
    await page.track(...event(before?.name ?? (await page.ready).installId))
    await tellConsent(page)
    await page.flush()
    onChange()
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

/** Tells whether this browser shows in-app messages, when the server does not know it of this user. */
export async function tellConsent(page: Page): Promise<void> {
  const { userName } = await page.ready
  const consented = page.options.inApp !== false
  const told = `${await userName()} ${consented}`
  // Somebody who never had them need not refuse them.
  if (!consented && !(await page.get('inAppConsent'))) return
  if (await changes(page, 'inAppConsent', told)) await page.track(IN_APP_CONSENT, { consented })
}
