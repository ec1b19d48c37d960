/**
 * The way to the app around the page: Android and iOS hand the page an object, a page around a frame hears messages.
 * `hear` gets every message that comes in; returns what sends one out, or undefined when nobody is there.
 */
export function connect(hear) {
  window.postHostMessage = hear
  const android = window.Android
  if (android && android.postClientMessage) return (message) => android.postClientMessage(JSON.stringify(message))
  const handlers = window.webkit && window.webkit.messageHandlers
  if (handlers && handlers.inAppHost) return (message) => handlers.inAppHost.postMessage(message)
  if (window.parent === window) return undefined
  // READY tells nothing; all else is for whoever gave us the message, also when the frame around us goes elsewhere.
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

/** What an app or a browser may be sent to: any absolute address but script and what is only for this page. */
function opens(url) {
  if (!/^\s*[a-z][a-z\d+.-]*:/i.test(url)) return false
  const link = document.createElement('a')
  link.href = url
  return !/^(javascript|data|vbscript|blob|file):$/.test(link.protocol)
}

/** Of anything else iOS before 17 makes no URL, and Android finds no app for a scheme in capitals: the button would do nothing. */
const PLAIN = /^[a-z][a-z\d+.-]*:(?:[\w!#$&'()*+,\-./:;=?@[\]~]|%[\da-fA-F]{2})*$/

/** The same address, as every client can open it. */
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
 * The actions that every client can take. The iOS SDK stops the whole app at an action that it does not know or that lacks its data;
 * the Android SDK leaves out actions without a `data` object, closeMessage too.
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

/** Whether a client takes the message away after these. */
export function endsMessage(actions) {
  return actions.some(({ type }) => type !== 'trackConversionEvent' && type !== 'subscribeToChannel')
}

export const CLOSE = [{ type: 'closeMessage', data: {} }]
