// Readable JSON: indented, coloured, and with the JSON that gateways want inside of strings unpacked.
/** The depth to which nested texts of JSON are unpacked. */
const MOST_NESTED = 4
const INDENT = '  '

/** The value with every string unpacked that is a JSON object or list; such places are named in `unpacked`. */
function unpackJson(value, path, unpacked, depth) {
  if (typeof value === 'string' && depth < MOST_NESTED && /^\s*[[{]/.test(value)) {
    let inner
    try {
      inner = JSON.parse(value)
    } catch {
      return value
    }
    unpacked.push(path)
    return unpackJson(inner, path, unpacked, depth + 1)
  }
  if (Array.isArray(value)) return value.map((one, i) => unpackJson(one, `${path}[${i}]`, unpacked, depth))
  if (value === null || typeof value !== 'object') return value
  const copy = Object.create(null)
  for (const key of Object.keys(value)) {
    copy[key] = unpackJson(value[key], path === '' ? key : `${path}.${key}`, unpacked, depth)
  }
  return copy
}

/** Appends `value` to `parent` as coloured text. */
function writeJson(parent, value, indent) {
  const put = (text, kind) => {
    if (!kind) return void parent.append(text)
    const span = document.createElement('span')
    span.className = kind
    span.textContent = text
    parent.append(span)
  }
  if (value === null || typeof value !== 'object') {
    return put(JSON.stringify(value), value === null ? 'j-null' : `j-${typeof value}`)
  }
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return put(isList ? '[]' : '{}')
  put(isList ? '[\n' : '{\n')
  entries.forEach(([key, one], i) => {
    put(indent + INDENT)
    if (!isList) {
      put(JSON.stringify(key), 'j-key')
      put(': ')
    }
    writeJson(parent, one, indent + INDENT)
    put(i < entries.length - 1 ? ',\n' : '\n')
  })
  put(indent + (isList ? ']' : '}'))
}

/** An element with the payload for people, a button to see it as it was sent, and one to copy it. */
export function payloadElement(payload) {
  const box = document.createElement('div')
  box.className = 'payload'
  const tools = document.createElement('div')
  tools.className = 'payload-tools'
  const note = document.createElement('span')
  const text = document.createElement('pre')
  text.tabIndex = 0
  let parsed
  try {
    parsed = JSON.parse(payload)
  } catch {
    text.textContent = payload
    box.append(text)
    return box
  }
  const unpacked = []
  const readable = unpackJson(parsed, '', unpacked, 0)
  let isRaw = false
  const raw = button('As sent', () => {
    isRaw = !isRaw
    raw.setAttribute('aria-pressed', String(isRaw))
    paint()
  })
  raw.setAttribute('aria-pressed', 'false')
  const copy = button('Copy', () => {
    const done = (word) => {
      copy.textContent = word
      setTimeout(() => (copy.textContent = 'Copy'), 1500)
    }
    navigator.clipboard.writeText(text.textContent).then(
      () => done('Copied'),
      () => done('Not allowed'),
    )
  })
  function paint() {
    text.replaceChildren()
    if (isRaw) text.textContent = payload
    else writeJson(text, readable, '')
    note.textContent = !isRaw && unpacked.length > 0 ? `unpacked: ${unpacked.join(', ')}` : ''
  }
  tools.append(note, raw, copy)
  box.append(tools, text)
  paint()
  return box
}

function button(label, onClick) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = label
  element.addEventListener('click', onClick)
  return element
}
