import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Config } from '../../platform/config/settings.ts'
import { besideBase } from '../../platform/net/base-address.ts'
import { Reply } from '../routing/route.ts'

/** The rule where the console and its interface (`/admin`) are answered. */
export interface Entrance {
  /** Notes a request that came by the listener of `console.listen`. */
  mark(request: IncomingMessage): void
  /**
   * The answer to a request that the console does not take; undefined when the request may go on. The console has its own host
   * name and listener, if the settings name them, and nothing else is answered there.
   */
  refuse(context: Context, path: string): Reply | undefined
}

const ELSEWHERE = /^\/(?:console|admin)(?:\/|$)/

/** Tells whether a path is one of the console or of its interface. */
const isConsole = (path: string): boolean => ELSEWHERE.test(path)

/** The entrance by the settings. Pure but for the marks. */
export function consoleEntrance(config: Config): Entrance {
  const isEnabled = config['console.enabled']
  const host = nameOf(config['hosts.console'])
  const isAside = config['console.listen'] !== ''
  const marked = new WeakSet<IncomingMessage>()
  return {
    mark: (request) => void marked.add(request),
    refuse(context, path) {
      const isOwnListener = isAside && marked.has(context.req)
      const isOwnHost = host !== '' && nameOf(context.host) === host
      // With a listener of its own the host name only says which name browsers use.
      const isOurs = isAside ? isOwnListener : host === '' || isOwnHost
      if (isConsole(path)) return isEnabled && isOurs ? undefined : nothingAt(path)
      if (!isEnabled || !(isAside ? isOwnListener : isOwnHost)) return undefined
      return path === '/' ? new Reply(302, undefined, { Location: '/console/' }) : nothingAt(path)
    },
  }
}

/** Tells whether the address of the request leads to the console too, for pages that name it. */
export function hasConsole(config: Config): boolean {
  return config['console.enabled'] && config['console.listen'] === '' && config['hosts.console'] === ''
}

/**
 * The address at which people open the console on a server that listens at `listening`: `https://push.example.com/console/`. If
 * the server listens at every address, it is the one of this machine: browsers open no `0.0.0.0`.
 */
export function consoleAddress(config: Config, listening: string): string {
  const reachable = listening.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  const base = config.baseUrl === '' || config['console.listen'] !== '' ? reachable : config.baseUrl
  const host = config['hosts.console']
  return `${host === '' ? base : besideBase(host, base)}/console/`
}

const nothingAt = (path: string): Reply => new Reply(404, { error: `there is nothing at ${path}` })

function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}
