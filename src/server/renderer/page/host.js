/**
 * Connects to the app around the page: Android and iOS provide an object, an embedding page receives messages. `hear`
 * is called with each incoming message. Returns a function that sends one, or undefined when there is no app.
 */
export function connect(hear) {
  window.postHostMessage = hear
  const android = window.Android
  if (android && android.postClientMessage) return (message) => android.postClientMessage(JSON.stringify(message))
  const handlers = window.webkit && window.webkit.messageHandlers
  if (handlers && handlers.inAppHost) return (message) => handlers.inAppHost.postMessage(message)
  if (window.parent === window) return undefined
  // READY reveals nothing, so any origin may get it. Later messages go only to the origin that sent us the first one.
  let origin = '*'
  window.addEventListener('message', (event) => {
    if (event.source !== window.parent) return
    if (origin === '*' && event.origin !== 'null') origin = event.origin
    hear(event.data)
  })
  return (message) => window.parent.postMessage(message, origin)
}

export const owns = (object, name) => Object.prototype.hasOwnProperty.call(object, name)

const isText = (value) => typeof value === 'string' && value !== ''

/** Tells whether an app or a browser may be sent to the URL: absolute, and neither a script nor local to this page. */
function opens(url) {
  if (!/^\s*[a-z][a-z\d+.-]*:/i.test(url)) return false
  const link = document.createElement('a')
  link.href = url
  return !/^(javascript|data|vbscript|blob|file):$/.test(link.protocol)
}

/**
 * URLs that every client can open. iOS before 17 parses no others, and Android finds no app for a scheme in capitals.
 */
const PLAIN = /^[a-z][a-z\d+.-]*:(?:[\w!#$&'()*+,\-./:;=?@[\]~]|%[\da-fA-F]{2})*$/

/** The same URL in the form that every client can open. */
function plainUrl(url) {
  if (PLAIN.test(url)) return url
  const link = document.createElement('a')
  link.href = url
  return link.href.replace(/%(?![\da-f]{2})/gi, '%25').replace(/[^%!-~]|["<>\\^`{|}]/g, encodeURIComponent)
}

const CHECKS = {
  closeMessage: () => true,
  requestAppStoreRating: () => true,
  promptPushPermission: () => true,
  trackConversionEvent: (data) => isText(data.eventType),
  subscribeToChannel: (data) => isText(data.channelUuid),
  openUrl: (data) => isText(data.url) && opens(data.url),
  deepLink: (data) => data.deepLink !== null && typeof data.deepLink === 'object',
}

/**
 * The actions that every client can run. The iOS SDK crashes the app on an action that it does not know or that lacks
 * its data; the Android SDK skips actions without a `data` object, even closeMessage.
 */
export function usableActions(actions) {
  return (Array.isArray(actions) ? actions : [])
    .filter((action) => action && owns(CHECKS, action.type))
    .map((action) =>
      action.data && typeof action.data === 'object' ? action : Object.assign({}, action, { data: {} }),
    )
    .filter((action) => CHECKS[action.type](action.data))
    .map((action) => {
      if (action.type !== 'openUrl') return action
      return Object.assign({}, action, { data: Object.assign({}, action.data, { url: plainUrl(action.data.url) }) })
    })
}

/** Tells whether a client removes the message after these actions. */
export function endsMessage(actions) {
  return actions.some(({ type }) => type !== 'trackConversionEvent' && type !== 'subscribeToChannel')
}

export const CLOSE = [{ type: 'closeMessage', data: {} }]
