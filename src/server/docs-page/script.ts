import { LANGUAGES } from './languages.ts'

/**
 * The page's one script: search, buttons that copy, examples in other languages, trying a request, and opening what the address names. Without it
 * the page is whole, but for these.
 */
export const SCRIPT = `
'use strict'
${LANGUAGES}
const box = document.getElementById('search')
const found = document.getElementById('found')
const entries = [...document.querySelectorAll('main section > details')]
const sections = [...document.querySelectorAll('main section')]
// Read when somebody begins to search, for it takes the text of the whole page.
let texts
function search() {
  texts ??= entries.map((entry) => (entry.id + ' ' + entry.textContent).toLowerCase())
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let count = 0
  entries.forEach((entry, i) => {
    entry.hidden = !words.every((word) => texts[i].includes(word))
    if (!entry.hidden) count++
  })
  for (const section of sections) section.hidden = section.querySelector(':scope > details:not([hidden])') === null
  found.textContent = words.length === 0 ? '' : count === 0 ? 'Nothing has all of these words.' : count + ' found'
}
box.hidden = false
box.addEventListener('input', search)
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== box && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    box.focus()
  } else if (event.key === 'Escape' && document.activeElement === box && box.value !== '') {
    box.value = ''
    search()
  }
})
// A button for each example, made when its operation is opened.
function addCopy(example) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', () => {
    const say = (word) => {
      button.textContent = word
      setTimeout(() => (button.textContent = 'Copy'), 1500)
    }
    // A page without TLS, but for localhost, has no clipboard: then the text is selected.
    const select = () => {
      getSelection().selectAllChildren(example)
      say('Selected')
    }
    if (navigator.clipboard) navigator.clipboard.writeText(example.textContent).then(() => say('Copied'), select)
    else select()
  })
  example.before(button)
}
// The language that the reader chose last, for all examples.
let language = 'curl'
const shown = new Set()
function addLanguages(example) {
  const call = JSON.parse(example.dataset.call)
  const texts = { curl: example.textContent, ...inLanguages(call, location.origin) }
  const choice = document.createElement('div')
  choice.className = 'languages'
  choice.setAttribute('role', 'group')
  choice.setAttribute('aria-label', 'Language of the example')
  const show = () => {
    example.textContent = texts[language] ?? texts.curl
    for (const button of choice.children) button.setAttribute('aria-pressed', button.textContent === language)
  }
  for (const name of Object.keys(texts)) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = name
    button.addEventListener('click', () => {
      language = name
      for (const one of shown) one()
    })
    choice.append(button)
  }
  shown.add(show)
  show()
  example.before(choice)
  if (call.key !== undefined && (call.type ?? 'application/json') === 'application/json') example.after(tryOut(call))
}
// Keys stay in the fields, for all requests that are tried until the page is left.
const keys = {}
function field(label, name, value, isSecret) {
  const box = document.createElement(name === 'body' ? 'textarea' : 'input')
  if (isSecret) box.type = 'password'
  box.autocomplete = 'off'
  box.spellcheck = false
  box.value = value
  if (name === 'body') box.rows = Math.min(14, value.split('\\n').length)
  const text = document.createElement('label')
  text.append(label, box)
  return { box, text }
}
function tryOut(call) {
  const part = document.createElement('details')
  part.className = 'try'
  const summary = document.createElement('summary')
  summary.textContent = 'Try it on this server'
  const form = document.createElement('form')
  const answer = document.createElement('pre')
  answer.tabIndex = 0
  answer.hidden = true
  answer.setAttribute('aria-live', 'polite')
  part.append(summary, form, answer)
  part.addEventListener('toggle', () => {
    if (!part.open || form.children.length > 0) return
    const isRest = call.key === 'restKey'
    const name = isRest ? 'restKey' : 'apiKey'
    const user = field(isRest ? 'REST key' : 'API key', 'user', keys[name] ?? '', isRest)
    const password = field(call.key === 'serverKey' ? 'Server key' : 'Secret key', 'password', keys[call.key] ?? '', true)
    const path = field('Path', 'path', call.path, false)
    const body = call.body === undefined ? undefined : field('Body', 'body', JSON.stringify(call.body, null, 2), false)
    const send = document.createElement('button')
    send.textContent = 'Send ' + call.method
    const parts = [user, isRest ? undefined : password, path, body]
    form.append(...parts.flatMap((one) => (one ? [one.text] : [])), send)
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      keys[name] = user.box.value
      if (!isRest) keys[call.key] = password.box.value
      send.disabled = true
      answer.hidden = false
      answer.textContent = '…'
      try {
        const pair = new TextEncoder().encode(user.box.value + ':' + password.box.value)
        const headers = { Authorization: 'Basic ' + btoa(String.fromCharCode(...pair)) }
        if (body) headers['Content-Type'] = 'application/json'
        const address = new URL(path.box.value, location.origin)
        if (address.origin !== location.origin) throw new Error('The path must begin with one slash')
        const said = await fetch(address, { method: call.method, headers, body: body?.box.value, credentials: 'omit' })
        const text = await said.text()
        let readable = text
        try {
          readable = JSON.stringify(JSON.parse(text), null, 2)
        } catch {}
        answer.textContent = said.status + ' ' + said.statusText + (readable ? '\\n\\n' + readable : '')
      } catch (error) {
        answer.textContent = error.message
      }
      send.disabled = false
    })
  })
  return part
}
for (const entry of entries) {
  entry.addEventListener('toggle', () => {
    if (!entry.open || entry.dataset.copies) return
    entry.dataset.copies = 'yes'
    for (const example of entry.querySelectorAll('pre')) addCopy(example)
    for (const example of entry.querySelectorAll('pre[data-call]')) addLanguages(example)
  })
}
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!(named instanceof HTMLDetailsElement)) return
  if (named.hidden) {
    box.value = ''
    search()
  }
  named.open = true
  named.scrollIntoView()
}
addEventListener('hashchange', openNamed)
openNamed()
`
