import { LINK_MATCHED, linkPath } from '../../core/src/index.ts'
import type { Data, LinkMatch } from './api.ts'
import type { Device } from './device.ts'

/** The parts of an address. `URL` of React Native has no `pathname` in every version. */
const ADDRESS = /^https?:\/\/([^/?#:]+)(?::\d+)?([^?#]*)(\?[^#]*)?(?:#.*)?$/i

const NONE: Record<number, { state: 'none' | 'expired' | 'used-up'; why: string }> = {
  404: { state: 'none', why: 'There is no such link.' },
  410: { state: 'expired', why: 'The link has expired.' },
  429: { state: 'used-up', why: 'The link is used up.' },
}

/** Deep links: those that open the app, and the one that was copied before it was installed. */
export function createLinks(device: Device) {
  const { linkHosts = [], native, clipboard } = device.options
  const hosts = new Set(linkHosts.map((host) => host.toLowerCase()))
  let listening: { remove(): void } | undefined

  /** The path that resolves an address; undefined when it is no link of the app. */
  function pathOf(address: string, wasDeferred: boolean): string | undefined {
    const [, host, pathname = '', search = ''] = ADDRESS.exec(address) ?? []
    if (host === undefined || !hosts.has(host.toLowerCase()) || /^\/*$/.test(pathname)) return undefined
    try {
      return linkPath({ pathname, search } as URL, wasDeferred)
    } catch {
      // Half a percent escape: no server made it.
      return undefined
    }
  }

  async function match(url: string, path: string, isDeferred: boolean): Promise<LinkMatch> {
    const { status, body } = await device.call(path)
    if (NONE[status]) return { ...NONE[status], url }
    if (status !== 200) return { state: 'failed', url, why: `The server answers ${status}.` }
    const { linkData, content } = body as { linkData: Data; content: { title?: string; description?: string } }
    await device.track(LINK_MATCHED, { url, wasDeferred: isDeferred })
    return { state: 'matched', url, data: linkData, isDeferred, ...content }
  }

  async function follow(url: string, isDeferred = false): Promise<boolean> {
    const path = pathOf(url, isDeferred)
    if (path === undefined) return false
    const failed = (error: unknown): LinkMatch => ({ state: 'failed', url, why: String(error) })
    device.tell('link', await match(url, path, isDeferred).catch(failed), true)
    return true
  }

  /** Looks once per installation whether the clipboard holds a link of the app, and nothing else. */
  async function readClipboard(): Promise<void> {
    if (!clipboard || (await device.change('clipboardRead', () => true))) return
    await follow((await clipboard()).trim(), true)
  }

  return {
    async begin(): Promise<void> {
      if (hosts.size === 0) return
      listening = native.Linking.addEventListener('url', ({ url }) => device.background(follow(url)))
      const first = await native.Linking.getInitialURL()
      const hasOpened = first ? await follow(first) : false
      if (hasOpened) await device.change('clipboardRead', () => true)
      else await readClipboard()
    },
    end: () => listening?.remove(),
  }
}
