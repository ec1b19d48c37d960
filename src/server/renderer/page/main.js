import { drawFrame } from './frame.js'
import { CLOSE, connect } from './host.js'
import { make } from './nodes.js'

/** The time (ms) for which a message waits for its pictures. */
const PICTURES_MS = 1500
/** The time (ms) in which the app may answer a close with CLOSE_MESSAGE. */
const ANSWER_MS = 2000
/** Longer than any animation. A hidden page does not fire `animationend`. */
const MOTION_MS = 600
/** Two taps on a button within this time count as one. */
const TAP_MS = 600

const dark = matchMedia('(prefers-color-scheme: dark)')
/** The message on the screen: `stage` is the element, `phase` one of opening, open, closing. */
let shown
let presented = false
/** True when nothing could be shown, and the app was asked to close. */
let gaveUp = false
/** Runs when the app does not answer a close. */
let unanswered
let pressed = -TAP_MS
/** The actions of the button that was pressed last. */
let pressedActions
let send

function say(type, data) {
  send(data ? { type, data } : { type })
}

function clear() {
  clearTimeout(unanswered)
  if (!shown) return
  clearTimeout(shown.timer)
  // A video keeps playing after its element is removed.
  for (const player of shown.stage.querySelectorAll('video')) {
    player.pause()
    player.removeAttribute('src')
    player.load()
  }
  shown.stage.parentNode.removeChild(shown.stage)
  shown = undefined
}

function hasEnded() {
  clear()
  gaveUp = false
  say('MESSAGE_CLOSED')
}

/** Passes actions to the app. For `closeMessage` the app records the dismissal and answers with CLOSE_MESSAGE. */
function execute(actions) {
  say('EXECUTE_ACTIONS', { actions })
  if (!actions.some(({ type }) => type === 'closeMessage')) return
  clearTimeout(unanswered)
  unanswered = setTimeout(close, ANSWER_MS)
}

function press(actions) {
  const now = performance.now()
  if (!shown || shown.phase === 'closing' || (actions === pressedActions && now - pressed < TAP_MS)) return
  pressed = now
  pressedActions = actions
  if (actions.length > 0) execute(actions)
}

function present(content) {
  const text = JSON.stringify(content)
  presented = true
  if (shown && shown.phase !== 'closing' && shown.text === text) {
    // The same message again. Android may send it twice, and shows its spinner until it gets MESSAGE_OPENED.
    if (shown.phase === 'open') say('MESSAGE_OPENED')
    return
  }
  clear()
  gaveUp = false
  pressed = -TAP_MS
  const stage = make('div', 'stage')
  const message = { stage, text, phase: 'opening', paints: [], pictures: 0 }
  const paint = (set) => {
    message.paints.push(set)
    set(dark.matches)
  }
  const settle = () => {
    if (--message.pictures === 0) reveal(message)
  }
  const wait = (element, event) => {
    message.pictures++
    const once = () => {
      element.removeEventListener(event, once)
      element.removeEventListener('error', once)
      settle()
    }
    element.addEventListener(event, once)
    element.addEventListener('error', once)
  }
  let dialog
  message.pictures++
  try {
    dialog = drawFrame(content, { paint, wait, press, leave: () => press(CLOSE) })
  } catch (error) {
    console.error(error)
  }
  // Nothing to show: close the message, so that the app gets its screen back and does not try again at each start.
  gaveUp = !dialog
  if (gaveUp) return execute(CLOSE)
  stage.appendChild(make('div', 'scrim'))
  stage.appendChild(dialog)
  message.dialog = dialog
  shown = message
  document.body.appendChild(stage)
  message.timer = setTimeout(() => reveal(message), PICTURES_MS)
  settle()
}

function reveal(message) {
  if (shown !== message || message.phase !== 'opening') return
  clearTimeout(message.timer)
  message.phase = 'open'
  const { stage, dialog } = message
  // The picture of the frame before the first step of the animation counts as seen.
  stage.classList.add('in')
  for (const part of dialog.querySelectorAll('.scroll, .body')) {
    if (part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY === 'auto') part.tabIndex = 0
  }
  dialog.focus()
  say('MESSAGE_OPENED')
}

function close() {
  if (!shown) {
    // One MESSAGE_CLOSED too many would remove the next message from the app's queue.
    if (gaveUp || !presented) hasEnded()
    presented = true
    return
  }
  if (shown.phase === 'closing') return
  const message = shown
  const animated = message.phase === 'open' && getComputedStyle(message.dialog).animationName !== 'none'
  message.phase = 'closing'
  clearTimeout(unanswered)
  if (!animated) return hasEnded()
  const done = () => shown === message && hasEnded()
  message.dialog.addEventListener('animationend', (event) => event.target === message.dialog && done())
  message.stage.classList.add('out')
  clearTimeout(message.timer)
  message.timer = setTimeout(done, MOTION_MS)
}

function setInsets(data) {
  for (const side of ['Top', 'Right', 'Bottom', 'Left']) {
    const inset = Number(data && data[`inset${side}`])
    const pixels = inset > 0 ? Math.min(inset, 200) : 0
    document.documentElement.style.setProperty(`--notch-${side.toLowerCase()}`, `${pixels}px`)
  }
}

function hear(message) {
  if (!message || typeof message !== 'object') return
  if (message.type === 'PRESENT_MESSAGE') present(message.data)
  else if (message.type === 'CLOSE_MESSAGE') close()
  else if (message.type === 'SET_NOTCH_INSETS') setInsets(message.data)
}

/** Keeps the focus inside the message: Tab goes from the last element to the first. */
function keepFocus(event) {
  const stops = [...shown.dialog.querySelectorAll('button, video, [tabindex="0"]')].filter((stop) => stop.tabIndex >= 0)
  const inside = shown.dialog.contains(document.activeElement) && document.activeElement !== shown.dialog
  const edge = stops[event.shiftKey ? 0 : stops.length - 1]
  if (inside && document.activeElement !== edge) return
  event.preventDefault()
  const next = stops[event.shiftKey ? stops.length - 1 : 0] || shown.dialog
  next.focus()
}

document.addEventListener('keydown', (event) => {
  if (!shown || shown.phase !== 'open') return
  if (event.key === 'Escape') press(CLOSE)
  else if (event.key === 'Tab') keepFocus(event)
})
// A tap beside the message must not take the focus out of it.
document.addEventListener('mousedown', (event) => event.target.className === 'scrim' && event.preventDefault())

const repaint = () => shown && shown.paints.forEach((set) => set(dark.matches))
if (dark.addEventListener) dark.addEventListener('change', repaint)
else dark.addListener(repaint)

send = connect(hear)
if (send) say('READY')
else
  document.body.appendChild(make('p', 'alone')).textContent =
    'Apps open this page to show messages. There is nothing to see in a browser.'
