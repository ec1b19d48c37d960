import {
  channelsPath,
  FINGERPRINT,
  fateOf,
  LINK_MATCHED,
  linkPath,
  purposesPath,
  tapsPath,
} from '../../core/src/index.ts'
import type { App, Channel, Data, LinkMatch, Purpose } from './api.ts'
import type { Answer } from './device.ts'
import { openFrame } from './frame.ts'
import type { Page } from './page.ts'

/** The body of an answer. Throws what the server says about a refusal. */
function bodyOf({ status, body }: Answer): unknown {
  if (status < 300) return body
  throw new Error(`appsvc: the server answers ${status} ${JSON.stringify(body)}`)
}

/** Channels of this browser. */
export function createChannels({ ready }: Page): App['channels'] {
  async function change(method: string, uuids: string[]): Promise<void> {
    const { call, installId } = await ready
    bodyOf(await call(`${channelsPath(installId)}/subscriptions`, { method, body: { uuids } }))
  }
  return {
    async list() {
      const { call, installId } = await ready
      return bodyOf(await call(channelsPath(installId))) as Channel[]
    },
    subscribe: (...uuids) => change('POST', uuids),
    unsubscribe: (...uuids) => change('DELETE', uuids),
  }
}

/** Purposes that the user allows. */
export function createConsent(page: Page): App['consent'] {
  page.onFlush(() => sendChoices(page))
  return {
    async list() {
      const { call, userName } = await page.ready
      const { purposes } = bodyOf(await call(purposesPath(await userName()))) as { purposes: Purpose[] }
      return purposes
    },
    async set(purpose, isAllowed) {
      const { userName } = await page.ready
      const user = await userName()
      await page.change('choices', (before = {}) => ({ ...before, [user]: { ...before[user], [purpose]: isAllowed } }))
      const answer = await sendChoice(page, user, purpose)
      if (answer) bodyOf(answer)
      else void page.flush()
    },
  }
}

/** Sends the choices that wait: those that could not be sent when they were made. Returns whether some still cannot. */
async function sendChoices(page: Page): Promise<boolean> {
  let isLeft = false
  for (const [user, choices] of Object.entries((await page.get('choices')) ?? {})) {
    for (const purpose of Object.keys(choices)) isLeft = !(await sendChoice(page, user, purpose)) || isLeft
  }
  return isLeft
}

/** Sends one choice, and forgets it then. Undefined when it cannot be sent now: a refusal is never lost. */
async function sendChoice(page: Page, user: string, purpose: string): Promise<Answer | undefined> {
  const { call } = await page.ready
  const choice = (await page.get('choices'))?.[user]?.[purpose]
  const body = { [purpose]: choice }
  const answer = await call(purposesPath(user), { method: 'PUT', body }).catch(() => undefined)
  if (fateOf(answer?.status) === 'later') return undefined
  await page.change('choices', (all = {}) => {
    const { [purpose]: now, ...others } = all[user] ?? {}
    // The person may have changed their mind meanwhile.
    return now === choice ? { ...all, [user]: others } : all
  })
  return answer
}

const NONE: Record<number, LinkMatch> = {
  404: { state: 'none', why: 'There is no such link.' },
  410: { state: 'expired', why: 'The link has expired.' },
  429: { state: 'used-up', why: 'The link is used up.' },
}

/** Deep links. */
export function createLinks(page: Page): App['links'] {
  async function match(url: string | undefined): Promise<LinkMatch> {
    const { call } = await page.ready
    const path =
      url === undefined ? tapsPath(await fingerprint(page.options.url)) : linkPath(new URL(url, location.href), false)
    const answer = await call(path)
    const none = NONE[answer.status]
    if (none) return none
    const {
      linkUrl = url!,
      linkData,
      content,
    } = bodyOf(answer) as {
      linkUrl?: string
      linkData: Data
      content: { title?: string; description?: string }
    }
    await page.track(LINK_MATCHED, { url: linkUrl, wasDeferred: url === undefined })
    return { state: 'matched', url: linkUrl, data: linkData, ...content }
  }
  return { match: (url) => match(url).catch((error: unknown) => ({ state: 'failed', why: String(error) })) }
}

/** The components by which the server knows that two programs run on the same device. */
function fingerprint(url: string): Promise<object> {
  return new Promise((resolve, reject) => {
    const frame = openFrame(
      url + FINGERPRINT,
      (type, data) => {
        if (type === 'READY') frame.post('REQUEST_FINGERPRINT')
        if (type !== 'FINGERPRINT_GENERATED') return
        frame.close()
        resolve((data as { components: object }).components)
      },
      () => reject(new Error(`no answer from ${url}`)),
    )
    frame.element.hidden = true
  })
}
