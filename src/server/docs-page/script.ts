/**
 * The page's one script: search, buttons that copy, and opening what the address names. Without it the page is whole,
 * but for these.
 */
export const SCRIPT = `
'use strict'
const box = document.getElementById('search')
const found = document.getElementById('found')
const entries = [...document.querySelectorAll('main details')]
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
  for (const section of sections) section.hidden = section.querySelector('details:not([hidden])') === null
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
for (const entry of entries) {
  entry.addEventListener('toggle', () => {
    if (!entry.open || entry.dataset.copies) return
    entry.dataset.copies = 'yes'
    for (const example of entry.querySelectorAll('pre')) addCopy(example)
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
