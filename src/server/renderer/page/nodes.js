import { BLACK, cssColor, isDark, readColor, WHITE } from './colors.js'
import { owns, usableActions } from './host.js'

/** Creates an element. The words of a message are set as text or as a checked value and never become markup. */
export function make(tag, className) {
  const element = document.createElement(tag)
  if (className) element.className = className
  return element
}

export function isWeb(url) {
  return typeof url === 'string' && /^https?:\/\/[^/]/i.test(url)
}

/** Tells whether an image can be shown: from the web, or one that came with the message. */
export function isImage(src) {
  return isWeb(src) || (typeof src === 'string' && src.startsWith('data:image/'))
}

/** The number, at most `max`; undefined for anything else or less than `min`. */
function within(value, min, max) {
  return typeof value === 'number' && value >= min ? Math.min(value, max) : undefined
}

/** Sizes grow with the text size that the device is set to. */
export function remOf(pixels) {
  return `${pixels / 16}rem`
}

export function listOf(value) {
  return Array.isArray(value) ? value : []
}

const MARKS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's' }

/** Reads a span: a text, or a text with marks. */
function readSpan(span) {
  const [text, marks] = Array.isArray(span) ? span : [span]
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  const has = (name) => (Array.isArray(marks) ? marks.indexOf(name) >= 0 : marks[name] === true)
  const names = marks && typeof marks === 'object' ? Object.keys(MARKS).filter(has) : []
  return { text: String(text), names, marks: marks && !Array.isArray(marks) ? marks : {} }
}

function readSpans(spans) {
  return (Array.isArray(spans) ? spans : [spans]).map(readSpan).filter(Boolean)
}

/** The text without its marks. */
export function plainText(spans) {
  return readSpans(spans).reduce((all, { text }) => all + text, '')
}

function setSize(element, size) {
  const pixels = within(size, 8, 72)
  if (pixels) element.style.fontSize = remOf(pixels)
}

function setRadius(element, radius) {
  const pixels = within(radius, 0, 64)
  if (pixels !== undefined) element.style.borderRadius = `${pixels}px`
}

/**
 * Returns a function that draws a node. `paint(set)` must call `set(dark)` now and whenever the device turns light or
 * dark; `wait(element, event)` delays the message until a picture is loaded, within limits; `press(actions)` is
 * called for a pressed button, `shrink(box)` for a picture that is missing or small.
 */
export function nodeDrawer({ paint, wait, press, shrink }) {
  function setColor(element, property, color) {
    if (color === undefined) return
    paint((dark) => {
      const rgba = readColor(color, dark)
      element.style[property] = rgba ? cssColor(rgba) : ''
    })
  }

  function write(element, spans) {
    for (const { text, names, marks } of readSpans(spans)) {
      let inner = element.appendChild(make('span'))
      setColor(inner, 'color', marks.color)
      setSize(inner, marks.size)
      for (const name of names) inner = inner.appendChild(make(MARKS[name]))
      inner.textContent = text
    }
  }

  /** Replaces an element that cannot be shown by its `alt` text, or removes it when it has none. */
  function fallBack(element, alt) {
    const box = element.parentNode
    if (!box) return
    if (!alt) {
      shrink(box)
      return void box.parentNode.removeChild(box)
    }
    const words = make('div', 'alt')
    words.textContent = alt
    words.dir = 'auto'
    box.replaceChild(words, element)
    shrink(box)
  }

  function image(node) {
    const box = make('div', 'node')
    fill(box, node)
    return box
  }

  function fill(box, { src, alt, width, radius }) {
    const img = make('img', 'late')
    img.alt = typeof alt === 'string' ? alt : ''
    const percent = within(width, 1, 100)
    if (percent) img.style.width = `${percent}%`
    setRadius(img, radius)
    img.addEventListener('load', () => {
      img.className = ''
      // A small image stays small: stretched across the whole frame it would be blurred.
      if (img.naturalWidth < 240 && !/\.svg\b|^data:image\/svg/i.test(src)) shrink(box)
    })
    img.addEventListener('error', () => fallBack(img, img.alt))
    box.appendChild(img)
    wait(img, 'load')
    if (isImage(src)) img.src = src
    else setTimeout(() => img.dispatchEvent(new Event('error')))
  }

  function video({ src, poster, alt, autoplay, loop, muted, captions }) {
    const box = make('div', 'node')
    const label = typeof alt === 'string' ? alt : ''
    const player = playerOf(src, poster)
    player.controls = true
    player.loop = loop === true
    player.muted = muted === undefined ? autoplay === true : muted === true
    if (label) player.setAttribute('aria-label', label)
    if (isWeb(captions)) {
      const track = make('track')
      track.kind = 'captions'
      track.src = captions
      track.default = true
      player.crossOrigin = 'anonymous'
      player.appendChild(track)
    }
    player.addEventListener('error', () => {
      // Try again without captions: with them, the server of the video must allow CORS.
      if (player.crossOrigin) {
        player.removeAttribute('crossorigin')
        player.textContent = ''
        player.load()
      } else if (!isWeb(poster)) fallBack(player, label)
      else {
        box.textContent = ''
        fill(box, { src: poster, alt: label })
      }
    })
    if (autoplay === true) play(player)
    box.appendChild(player)
    return box
  }

  function text(node) {
    const element = make(node.type === 'text' ? 'p' : node.type === 'heading' ? 'h1' : 'h2', `node ${node.type}`)
    element.dir = 'auto'
    if (/^(start|center|end)$/.test(node.align)) element.style.textAlign = node.align
    setColor(element, 'color', node.color)
    setSize(element, node.size)
    write(element, node.text)
    return element
  }

  function button(node) {
    const style = node.style || {}
    const element = make('button', `button ${/^(small|regular)$/.test(style.size) ? style.size : 'wide'}`)
    element.type = 'button'
    element.dir = 'auto'
    write(element, node.text)
    setRadius(element, style.radius)
    paint((dark) => {
      const [fg, bg, border] = [style.fg, style.bg, style.border].map((color) => readColor(color, dark))
      const css = element.style
      // A button without background shows the frame. On a coloured one, text without a colour gets the readable of
      // black and white.
      if (bg) css.backgroundColor = cssColor(bg)
      else css.backgroundColor = fg || border ? 'transparent' : ''
      if (fg) css.color = cssColor(fg)
      else css.color = bg && bg[3] >= 0.5 ? cssColor(isDark(bg) ? WHITE : BLACK) : bg || border ? 'inherit' : ''
      css.borderColor = border ? cssColor(border) : ''
    })
    const actions = usableActions(node.actions)
    element.addEventListener('click', () => press(actions))
    return element
  }

  const kinds = { heading: text, subheading: text, text, image, video, button }

  /** The element of a node; undefined for a node that is empty or of an unknown type. */
  return function draw(node) {
    if (!node || !owns(kinds, node.type)) return undefined
    const speaks = node.type === 'image' || node.type === 'video' ? isImage(node.src) || node.alt : plainText(node.text)
    return speaks ? kinds[node.type](node) : undefined
  }
}

/** A video element without controls. */
export function playerOf(src, poster) {
  const player = make('video')
  player.setAttribute('playsinline', '')
  player.preload = 'metadata'
  if (isWeb(poster)) player.poster = poster
  if (isWeb(src)) player.src = src
  else setTimeout(() => player.dispatchEvent(new Event('error')))
  return player
}

/** Starts a video, unless the person prefers reduced motion. */
export function play(player) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  player.autoplay = true
  const playing = player.play()
  if (playing) playing.catch(() => {})
}
