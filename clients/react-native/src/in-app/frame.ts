import { RENDERER } from '../../../core/src/index.ts'
import type { FrameProps, WebViewHandle } from '../api.ts'

/** An action of a button (docs/reference/device-protocol.md section 9, actions). */
export interface Action {
  type: string
  data?: Record<string, unknown>
}

/** Hearers of the page in the frame. */
interface Hearing {
  ready(): void
  shown(): void
  acts(actions: readonly Action[]): void
  closed(): void
  /** The page cannot be loaded, or is another one. */
  failed(): void
}

/** A web view with the renderer page of the server. */
export interface Frame {
  props: FrameProps
  post(type: string, data?: unknown): void
}

/** The page talks to `Android` as to the SDK of Android, on both systems, and here that reaches React Native. */
const BRIDGE =
  'window.Android = { postClientMessage: function (json) { window.ReactNativeWebView.postMessage(json) } }; true;'

export function createFrame(url: string, hearing: Hearing): Frame {
  const page = url + RENDERER
  let view: WebViewHandle | null = null
  return {
    post(type, data = null) {
      // As text in a script: a line separator ends a literal in old engines.
      const json = JSON.stringify({ type, data }).replace(/[\u2028\u2029]/g, (c) =>
        c === '\u2028' ? '\\u2028' : '\\u2029',
      )
      view?.injectJavaScript(`window.postHostMessage(${json}); true;`)
    },
    props: {
      source: { uri: page },
      originWhitelist: [originOf(page)],
      injectedJavaScriptBeforeContentLoaded: BRIDGE,
      style: { flex: 1, backgroundColor: 'transparent' },
      ref: (given) => {
        view = given
      },
      onMessage: ({ nativeEvent }) => {
        if (isBelow(nativeEvent.url, page)) hear(nativeEvent.data, hearing)
      },
      onShouldStartLoadWithRequest: (request) => isBelow(request.url, page),
      onError: hearing.failed,
      // A picture that is not there is no reason to close the message.
      onHttpError: ({ nativeEvent }) => {
        if (isBelow(nativeEvent.url, page)) hearing.failed()
      },
    },
  }
}

const originOf = (address: string) => /^https?:\/\/[^/]+/i.exec(address)?.[0] ?? address

const isBelow = (address: string, page: string) =>
  address === page || /^[/?#]/.test(address.startsWith(page) ? address.slice(page.length) : '')

function hear(json: string, hearing: Hearing): void {
  const { type, data } = parsed(json)
  if (type === 'READY') hearing.ready()
  if (type === 'MESSAGE_OPENED') hearing.shown()
  if (type === 'EXECUTE_ACTIONS') hearing.acts((data as { actions?: Action[] } | undefined)?.actions ?? [])
  if (type === 'MESSAGE_CLOSED') hearing.closed()
}

function parsed(json: string): { type?: unknown; data?: unknown } {
  try {
    return (JSON.parse(json) as object | null) ?? {}
  } catch {
    return {}
  }
}
