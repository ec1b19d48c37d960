// The page inserts every text of a message with textContent, so that markup in it stays text.
import { payloadElement } from './json.js'

const SHOWN_CARDS = 12
/** Rows of the list: so many come at once, and so many are kept. */
const PAGE_ROWS = 100
const MOST_ROWS = 500
const KNOWN_DEVICES = 200

const byId = (id) => document.getElementById(id)
const state = { messages: [], devices: new Map(), device: '', show: 'all', total: 0 }

function make(tag, className, text) {
  const element = document.createElement(tag)
  if (className) element.className = className
  if (text !== undefined) element.textContent = text
  return element
}

function isWeb(address) {
  return /^https?:\/\//i.test(address)
}

function timeOf(at, withSeconds = true) {
  const options = { hour: '2-digit', minute: '2-digit', hour12: false }
  return new Date(at).toLocaleTimeString([], withSeconds ? { ...options, second: '2-digit' } : options)
}

function agoOf(at) {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1000))
  if (seconds < 60) return 'now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  return timeOf(at, false)
}

/** Last part of a bundle id or project: com.example.shop -> shop. */
function appName(card) {
  if (card.platform === 'web') return `via ${card.app}`
  return card.app.split('.').pop() || card.app || 'app'
}

/** The messages that the phone shows: the newest first, replaced ones left out and counted. */
function onPhone() {
  const cards = []
  const byKey = new Map()
  for (const message of state.messages) {
    const { card } = message
    if (!message.taken || !card.visible) continue
    if (state.device && message.token !== state.device) continue
    const key = card.collapseKey && `${message.gateway} ${message.token} ${card.collapseKey}`
    const newer = key && byKey.get(key)
    if (newer) {
      newer.replaced++
      continue
    }
    const entry = { message, replaced: 0 }
    if (key) byKey.set(key, entry)
    cards.push(entry)
  }
  return cards
}

const KINDS = { ios: 'iOS', android: 'Android', web: 'Browser', safari: 'Safari' }
/** Labels and commands of the stand-ins that run from their declaration, by gateway (`/stand-ins`). */
let others = {}

/** The kind of phone, or browser, that a message is on. */
function kindOf({ gateway, card }) {
  return others[gateway] ? 'other' : card.platform
}

function cardElement({ message, replaced }) {
  const { card } = message
  const kind = kindOf(message)
  const item = make('li', `card ${kind}`)
  item.dataset.seq = message.seq
  const head = make('div', 'card-head')
  const other = others[message.gateway]
  const kindName = message.device ?? (other ? other.device : KINDS[kind])
  const icon = make('span', 'icon', (other ? other.device : KINDS[kind]).slice(0, 1))
  if (other) icon.style.background = `linear-gradient(150deg, ${other.colors.join(', ')})`
  if (card.badge !== undefined && card.badge !== '0') icon.append(make('span', 'badge', card.badge))
  // A device calls a message by its app; the view of all devices by the device.
  const names = state.device
    ? [make('b', '', appName(card))]
    : [make('b', '', kindName), make('span', 'app', appName(card))]
  head.append(icon, ...names, make('time', '', agoOf(message.at)))
  head.lastChild.dataset.at = message.at
  const words = make('div', 'words')
  const texts = make('div')
  if (card.title) texts.append(make('div', 'title', card.title))
  if (card.subtitle) texts.append(make('div', 'subtitle', card.subtitle))
  if (card.body) texts.append(make('div', 'body', card.body))
  words.append(texts)
  if (card.picture && isWeb(card.picture)) {
    const picture = make('img', 'picture')
    picture.alt = ''
    picture.referrerPolicy = 'no-referrer'
    picture.addEventListener('error', () => picture.remove())
    picture.src = card.picture
    words.append(picture)
  }
  item.append(head, words)
  if (card.buttons.length > 0) {
    const row = make('div', 'buttons')
    for (const { text, icon } of card.buttons) {
      const button = make('span', '', text)
      if (icon) button.append(make('small', '', icon))
      row.append(button)
    }
    item.append(row)
  }
  const chips = make('div', 'chips')
  const chip = (text) => chips.append(make('span', 'chip', text))
  if (card.badge === '0') chip('badge cleared')
  if (card.sound && (card.critical || card.sound !== 'default')) {
    chip(`${card.critical ? 'critical ' : ''}sound ${card.sound}`)
  }
  if (card.interruption) chip(card.interruption)
  if (card.thread) chip(`thread ${card.thread}`)
  if (card.channel) chip(`channel ${card.channel}`)
  if (card.important) chip('important')
  if (card.url) chip(kind === 'safari' ? `opens the website at /${card.url}` : `opens ${card.url}`)
  if (card.inApp) chip(`announces in-app message ${card.inApp}`)
  if (message.environment === 'sandbox') chip('development build')
  if (message.gateway === 'web') chip('decrypted')
  if (replaced > 0) chip(`replaced ${replaced} earlier`)
  if (!state.device && !message.device) chip(`…${message.token.slice(-10)}`)
  if (chips.childElementCount > 0) item.append(chips)
  return item
}

/** Paints the frame of the chosen device; every device together has a plain one. */
function paintFrame() {
  const chosen = state.devices.get(state.device)
  byId('phone').className = `phone ${chosen?.kind ?? 'any'}`
  byId('window-name').textContent = chosen?.name ?? ''
}

function paintPhone() {
  const all = onPhone()
  const cards = all.slice(0, SHOWN_CARDS)
  const old = new Set([...byId('cards').children].map((item) => item.dataset.seq))
  byId('cards').replaceChildren(
    ...cards.map((entry) => {
      const item = cardElement(entry)
      // Only new cards are animated.
      if (old.has(item.dataset.seq)) item.style.animation = 'none'
      return item
    }),
  )
  byId('no-cards').hidden = cards.length > 0
  byId('more-cards').hidden = all.length <= SHOWN_CARDS
  byId('more-cards').textContent = `and ${all.length - SHOWN_CARDS} earlier`
}

const NAMES = { apns: 'APNs', fcm: 'FCM', web: 'Web Push' }

function placeOf({ gateway, environment, card }) {
  if (environment === 'sandbox') return 'APNs sandbox'
  return card.platform === 'safari' ? 'APNs website' : (others[gateway]?.gateway ?? NAMES[gateway] ?? gateway)
}

/** The path to which the doctor sends to check a credential: of no device, so that APNs refuses the device and not the credential. */
const CHECK = '/3/device/00'

function silentWords({ token, answer, card }) {
  if (token === CHECK) return `check of a credential${answer === '400 BadDeviceToken' ? ': it is good' : ''}`
  return card.background ? 'background message' : 'silent message'
}

function rowElement(message) {
  const { card } = message
  const ok = /^2\d\d$/.test(message.answer)
  const item = make('li', message.taken ? (ok ? 'taken' : 'lost') : 'refused')
  item.dataset.seq = message.seq
  const details = make('details')
  const summary = make('summary')
  const where = placeOf(message)
  const what = make('span', 'what', card.title || card.body || silentWords(message))
  what.append(make('small', '', card.title && card.body ? card.body : ''))
  const device = make('span', 'whose', message.device ?? '')
  summary.append(make('time', '', timeOf(message.at)), make('span', 'where', where), what, device)
  summary.append(make('span', 'answer', message.answer))
  details.append(summary)
  // Build the details when a row is opened, because most rows never are.
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(moreElement(message))
  })
  item.append(details)
  return item
}

function moreElement(message) {
  const more = make('div', 'more')
  const table = make('table')
  const row = (name, value) => {
    if (value === undefined || value === '') return
    const line = make('tr')
    line.append(make('th', '', name), make('td', '', String(value)))
    table.append(line)
  }
  row('device', message.device)
  row(message.gateway === 'web' ? 'endpoint' : 'token', message.token)
  row({ apns: 'apns-id', fcm: 'name' }[message.gateway] ?? 'id', message.id)
  row('notification', message.notificationId)
  row(
    others[message.gateway]?.topic ?? { apns: 'topic', fcm: 'project', web: 'push service' }[message.gateway] ?? 'of',
    message.topic,
  )
  for (const [name, value] of Object.entries(message.headers)) if (name !== 'apns-topic') row(name, value)
  if (message.gateway !== 'web') row('collapse key', message.card.collapseKey)
  row('category', message.card.category)
  row('device got it', message.taken ? 'yes' : 'no')
  if (message.gateway === 'web' && message.payload.startsWith('{')) row('payload', 'decrypted, as the browser reads it')
  more.append(table, payloadElement(message.payload))
  return more
}

function isListed(message) {
  return state.show === 'all' || (state.show === 'taken') === message.taken
}

function paintLog() {
  byId('log').replaceChildren(...state.messages.filter(isListed).map(rowElement))
  paintFoot()
}

/** Paints the line below the list: how much of everything the list holds, and a way to more. */
function paintFoot() {
  const { length } = state.messages
  byId('empty').hidden = length > 0
  byId('log-foot').hidden = length === 0 || length >= state.total
  byId('older').hidden = length >= MOST_ROWS
  const note = `The newest ${length.toLocaleString('en')} of ${state.total.toLocaleString('en')}.`
  byId('log-note').textContent =
    length < MOST_ROWS ? note : `${note} The others are at messages?before=${state.messages.at(-1).seq}.`
}

/** The device's name in the chooser and the frame. */
function deviceOf(message) {
  const { token, device } = message
  const kind = kindOf(message)
  const name =
    device ?? `${KINDS[kind] ?? others[message.gateway].device} ${token.length > 24 ? `…${token.slice(-20)}` : token}`
  return { kind, name }
}

function know(message) {
  const { token } = message
  if (!token || state.devices.has(token) || state.devices.size >= KNOWN_DEVICES) return
  const device = deviceOf(message)
  state.devices.set(token, device)
  const option = make('option', '', device.name)
  option.value = token
  byId('device').append(option)
}

function add(messages) {
  const newest = state.messages[0]?.seq ?? 0
  const fresh = messages.filter((message) => message.seq > newest).sort((a, b) => b.seq - a.seq)
  if (fresh.length === 0) return
  state.messages = [...fresh, ...state.messages].slice(0, MOST_ROWS)
  for (const message of fresh) know(message)
  // Add rows instead of painting the list again, so that open rows stay open.
  const log = byId('log')
  log.prepend(...fresh.filter(isListed).map(rowElement))
  while (log.childElementCount > MOST_ROWS) log.lastChild.remove()
  paintPhone()
}

async function showOlder() {
  const last = state.messages.at(-1)
  if (!last) return
  const limit = Math.min(PAGE_ROWS, MOST_ROWS - state.messages.length)
  const { messages } = await getJson(`messages?limit=${limit}&before=${last.seq}`)
  const older = messages.filter((message) => message.seq < state.messages.at(-1).seq)
  state.messages = [...state.messages, ...older]
  for (const message of older) know(message)
  byId('log').append(...older.filter(isListed).map(rowElement))
  // The sandbox keeps a bounded number: what is older is gone.
  if (messages.length < limit) state.total = state.messages.length
  paintFoot()
}

function showCounts(counts) {
  const number = (value) => value.toLocaleString('en')
  byId('count-taken').textContent = number(counts.taken)
  byId('count-refused').textContent = number(counts.refused)
  byId('count-devices').textContent = number(counts.tokens.distinct)
  byId('count-repeats').textContent = number(counts.deliveries.repeated)
  byId('repeats').classList.toggle('some', counts.deliveries.repeated > 0)
  state.total = counts.taken + counts.refused
  paintFoot()
}

function forget() {
  state.messages = []
  state.devices.clear()
  state.device = ''
  byId('device').replaceChildren(byId('device').options[0])
  state.total = 0
  paintFrame()
  paintLog()
  paintPhone()
}

async function getJson(path) {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

async function refresh() {
  const [list, counts] = await Promise.all([getJson(`messages?limit=${PAGE_ROWS}`), getJson('counts')])
  add(list.messages)
  showCounts(counts)
}

function tick() {
  const now = new Date()
  byId('clock').textContent = timeOf(now, false)
  byId('day').textContent = now.toLocaleDateString([], { weekday: 'long', month: 'long', day: 'numeric' })
  for (const time of document.querySelectorAll('.card time')) time.textContent = agoOf(Number(time.dataset.at))
}

byId('clear').addEventListener('click', () => void fetch('messages', { method: 'DELETE' }))
byId('device').addEventListener('change', (event) => {
  state.device = event.target.value
  paintFrame()
  paintPhone()
})
byId('older').addEventListener('click', () => void showOlder())
for (const button of document.querySelectorAll('.filter button')) {
  button.addEventListener('click', () => {
    state.show = button.dataset.show
    for (const other of document.querySelectorAll('.filter button'))
      other.setAttribute('aria-pressed', other === button)
    paintLog()
  })
}

const events = new EventSource('events')
events.addEventListener('open', () => {
  byId('link').textContent = 'live'
  byId('link').classList.add('live')
  void refresh()
})
events.addEventListener('error', () => {
  byId('link').textContent = 'not connected'
  byId('link').classList.remove('live')
})
events.addEventListener('batch', (event) => {
  const { messages, counts } = JSON.parse(event.data)
  add(messages)
  showCounts(counts)
})
events.addEventListener('reset', () => {
  forget()
  void refresh()
})

async function begin() {
  others = await getJson('stand-ins')
  const commands = Object.values(others).map(({ command }) => `${command}\n`)
  // Insert them where the command line prints them: before the line for browsers.
  const text = byId('commands').textContent
  byId('commands').textContent = text.replace(
    'appsvc gateways set APP web',
    `${commands.join('')}appsvc gateways set APP web`,
  )
  await refresh()
}

tick()
setInterval(tick, 5000)
void begin()
void getJson('credentials').then(({ environment }) => {
  const lines = Object.entries({ ...environment, APPSVC_GATEWAYS_CA_FILE: 'ca.pem' })
  byId('environment').textContent = lines.map(([name, value]) => `export ${name}=${value}`).join('\n')
})
