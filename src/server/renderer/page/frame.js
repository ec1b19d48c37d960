import { contrast, cssColor, isDark, mixOf, readColor, WHITE } from './colors.js'
import { endsMessage, owns, usableActions } from './host.js'
import { isImage, isWeb, listOf, make, nodeDrawer, plainText, play, playerOf, remOf } from './nodes.js'
import { closeWord, directionOf } from './words.js'

const FONTS = {
  serif: 'ui-serif, Georgia, "Noto Serif", serif',
  mono: 'ui-monospace, Menlo, "Roboto Mono", monospace',
  rounded: 'ui-rounded, "SF Pro Rounded", "Arial Rounded MT Bold", Nunito, system-ui, sans-serif',
}
const DARK_SURFACE = [28, 30, 36, 1]
const MAX_NODES = 50
const MAX_LAYERS = 8

const oneOf = (names, value, otherwise) => (names.indexOf(value) >= 0 ? value : otherwise)

/** Tells whether a layer is a picture, whose colours are unknown. */
const isPicture = ({ type }) => type === 'image' || type === 'video'

function layerColor({ type, color, stops }, dark) {
  if (type === 'color') return readColor(color, dark)
  const colors = listOf(stops)
    .map((stop) => readColor(stop && stop.color, dark))
    .filter(Boolean)
  return colors.length > 0 ? mixOf(colors) : undefined
}

/** Colours of text that are the same in light and dark. */
function fixedColors(nodes, defaults) {
  const colors = [defaults.fontColor]
  for (const node of nodes) {
    if (node && node.type !== 'button') colors.push(node.color)
    for (const span of listOf(node && node.text)) if (Array.isArray(span) && span[1]) colors.push(span[1].color)
  }
  return colors
    .filter((color) => typeof color === 'string')
    .map((color) => readColor(color))
    .filter(Boolean)
}

/**
 * The background of the text: is it dark, did the author choose it (`own`), and is it a picture that needs a veil
 * (`bare`)?
 */
function groundOf(layers, fixed, fontColor, dark) {
  // Colours of the layers from the top down, weighted by what shows, and the share of the layers below that they hide.
  let seen = [0, 0, 0]
  let hidden = 0
  for (const layer of layers.slice().reverse()) {
    if (isPicture(layer) && fontColor) return { dark: !isDark(fontColor), own: true, bare: false }
    if (isPicture(layer)) return { dark: true, own: true, bare: layer === layers[layers.length - 1] }
    const color = layerColor(layer, dark)
    if (!color) continue
    const share = color[3] * (1 - hidden)
    seen = seen.map((part, i) => part + color[i] * share)
    hidden += share
    if (hidden >= 0.4) return { dark: isDark(seen.map((part) => part / hidden)), own: true, bare: false }
  }
  // Text with a fixed colour, such as black, must stay readable in dark mode: use the other surface if this one lacks
  // contrast.
  const least = (surface) => Math.min.apply(null, fixed.map((color) => contrast(color, surface)).concat(21))
  const here = dark ? DARK_SURFACE : WHITE
  const there = dark ? WHITE : DARK_SURFACE
  return { dark: dark !== (least(here) < 3 && least(there) > least(here)), own: false, bare: false }
}

function drawLayer(layer, { paint, wait }) {
  if (layer.type === 'image') {
    const img = make('img')
    img.alt = ''
    if (layer.fit === 'contain') img.style.objectFit = 'contain'
    if (!isImage(layer.src)) return undefined
    wait(img, 'load')
    // If it fails to load, the layers below show, at least our own surface.
    img.addEventListener('error', () => img.parentNode && img.parentNode.removeChild(img))
    img.src = layer.src
    return img
  }
  if (layer.type === 'video') {
    if (!isWeb(layer.src) && !isWeb(layer.poster)) return undefined
    const player = playerOf(layer.src, layer.poster)
    player.muted = player.loop = true
    player.setAttribute('aria-hidden', 'true')
    player.tabIndex = -1
    play(player)
    return player
  }
  const element = make('div')
  paint((dark) => {
    if (layer.type === 'color') element.style.background = cssColor(readColor(layer.color, dark) || [0, 0, 0, 0])
    if (layer.type !== 'gradient') return
    const stops = listOf(layer.stops)
      .map((stop) => [readColor(stop && stop.color, dark), Number(stop && stop.at)])
      .filter(([color, at]) => color && at >= 0 && at <= 100)
      .sort((a, b) => a[1] - b[1])
      .map(([color, at]) => `${cssColor(color)} ${at}%`)
    const angle = typeof layer.angle === 'number' ? layer.angle : 180
    if (stops.length > 1) element.style.background = `linear-gradient(${angle}deg, ${stops.join(', ')})`
  })
  return element
}

/** Tells whether a node, the first one, is a leading picture: it spans the frame. Not with a smaller `width` or over pictures as layers. */
function leads(node, layers) {
  if (!node || (node.type !== 'image' && node.type !== 'video') || !isImage(node.src)) return false
  return (node.width === undefined || node.width === 100) && !layers.some(isPicture)
}

/**
 * Draws a content document. `paint` and `wait` are as in nodes.js; `press(actions)` is called for a button, `leave()`
 * for the close button. Returns the dialog, or undefined when the document has nothing to show.
 */
export function drawFrame(content, { paint, wait, press, leave }) {
  const frame = content && content.frame
  if (!frame || typeof frame !== 'object') return undefined
  const nodes = listOf(frame.nodes).slice(0, MAX_NODES)
  const layers = listOf(frame.backgroundLayers).filter(Boolean).slice(0, MAX_LAYERS)
  const defaults = content.defaults || {}
  const font = defaults.font || {}
  const draw = nodeDrawer({ paint, wait, press, shrink })
  const drawn = nodes.map((node) => [node, draw(node)]).filter(([, element]) => element)
  if (drawn.length === 0 && !layers.some((layer) => isPicture(layer) && isImage(layer.src))) return undefined

  /** Turns the leading picture into an ordinary one between the texts. */
  function shrink(box) {
    if (!box.classList.contains('lead')) return
    box.className = 'node'
    dialog.classList.remove('leading', 'framing')
    above.insertBefore(box, above.firstChild)
  }

  const type = oneOf(['fullscreen', 'inset'], frame.type, 'alert')
  const gravity = oneOf(['top-down', 'bottom-up'], frame.stackingGravity, 'centered')
  const motion = oneOf(['fade', 'slide', 'none'], frame.animation, type === 'inset' ? 'slide' : 'fade')
  const leading = drawn.length > 0 && leads(drawn[0][0], layers)
  const names = [
    'frame',
    type,
    gravity,
    motion,
    leading && 'leading',
    leading && drawn[0][0].radius > 0 && 'framing',
    layers.some(isPicture) && 'poster',
  ]
  const dialog = make('div', names.filter(Boolean).join(' '))
  dialog.setAttribute('role', 'dialog')
  dialog.setAttribute('aria-modal', 'true')
  dialog.tabIndex = -1
  // Empty means unknown. Otherwise the page's own `en` applies, and a German message is read aloud with an English
  // voice.
  dialog.lang =
    typeof defaults.lang === 'string' && /^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(defaults.lang) ? defaults.lang : ''
  const words = drawn.map(([node]) => plainText(node.text)).join(' ')
  dialog.dir = oneOf(['ltr', 'rtl'], defaults.dir, directionOf(words))
  if (owns(FONTS, font.family)) dialog.style.fontFamily = FONTS[font.family]
  if (font.size >= 10 && font.size <= 40) dialog.style.fontSize = remOf(font.size)

  const fixed = fixedColors(nodes, defaults)
  paint((dark) => {
    const rgba = readColor(defaults.fontColor, dark)
    const ground = groundOf(layers, fixed, rgba, dark)
    dialog.classList.toggle('dark', ground.dark)
    dialog.classList.toggle('own', ground.own)
    dialog.classList.toggle('bare', ground.bare)
    for (const name of ['--ink', '--soft']) dialog.style.setProperty(name, rgba ? cssColor(rgba) : '')
  })

  const back = dialog.appendChild(make('div', 'layers'))
  back.setAttribute('aria-hidden', 'true')
  for (const layer of layers) {
    const element = drawLayer(layer, { paint, wait })
    if (element) back.appendChild(element)
  }

  // There is always a close button if no other button ends the message: people must be able to return to the app.
  const wayOut = nodes.some((node) => node && node.type === 'button' && endsMessage(usableActions(node.actions)))
  if (frame.closeButton !== 'none' || !wayOut) {
    const close = dialog.appendChild(make('button', `close ${frame.closeButton === 'top-left' ? 'first' : 'last'}`))
    close.type = 'button'
    close.setAttribute('aria-label', closeWord(dialog.lang))
    for (let stroke = 0; stroke < 2; stroke++) close.appendChild(make('i'))
    close.addEventListener('click', leave)
    dialog.classList.add('closable')
  }

  const scroll = dialog.appendChild(make('div', 'scroll'))
  if (leading) {
    const lead = drawn.shift()[1]
    lead.className = `node lead${dialog.classList.contains('framing') ? ' framed' : ''}`
    scroll.appendChild(lead)
  }
  const body = scroll.appendChild(make('div', 'body'))
  const above = body.appendChild(make('div', 'words'))
  let end = drawn.length
  while (end > 0 && drawn[end - 1][0].type === 'button') end--
  for (const [, element] of drawn.slice(0, end)) above.appendChild(element)
  if (end < drawn.length) {
    const actions = body.appendChild(make('div', 'actions'))
    for (const [, element] of drawn.slice(end)) actions.appendChild(element)
  }

  const title = dialog.querySelector('h1') || dialog.querySelector('h2') || dialog.querySelector('p')
  if (title) {
    title.id = 'title'
    dialog.setAttribute('aria-labelledby', 'title')
  } else {
    const named = nodes.filter((node) => node && typeof node.alt === 'string' && node.alt)[0]
    dialog.setAttribute('aria-label', named ? named.alt : document.title)
  }
  return dialog
}
