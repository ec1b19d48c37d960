import { isPlainObject } from '../../platform/json/json.ts'
import { byType, choice, flag, joined, list, number, object } from '../../platform/values/reader.ts'
import { freeObject, onlyTrue, type Reader, type Reading, textOf } from './reading.ts'
import {
  ALIGNMENTS,
  ANIMATIONS,
  BUTTON_SIZES,
  CLOSE_BUTTONS,
  DIRECTIONS,
  FITS,
  FONT_FAMILIES,
  FRAME_TYPES,
  GRAVITIES,
  MARKS,
  TEXT_NODES,
} from './types.ts'

/** The format of a content document (docs/templates.md): every part, and the few rules that involve several parts. */

const MAX_NODES = 50
/** Maximum levels of the data that an action passes to the app. */
const DATA_LEVELS = 16

const text = textOf('text')
const url = textOf('url')
const picture = textOf('image')
const plainColor = textOf('color')
const pairOfColors = object({ 'light!': plainColor, 'dark!': plainColor })
const color: Reader = (value, at, reading) =>
  isPlainObject(value)
    ? pairOfColors(value, at, reading)
    : typeof value === 'string'
      ? plainColor(value, at, reading)
      : reading.say(at, 'must be a colour such as #1753d8, or {"light": "#…", "dark": "#…"}')

const namedMarks = object({ ...Object.fromEntries(MARKS.map((mark) => [mark, onlyTrue])), color, size: number(8, 72) })
const listedMarks = list(choice(MARKS), { min: 0, max: MARKS.length })
const marks: Reader = (value, at, reading) => (Array.isArray(value) ? listedMarks : namedMarks)(value, at, reading)

/** Text in pieces, each of which `part` reads. */
function spans(part: Reader): Reader {
  const piece: Reader = (value, at, reading) => {
    if (typeof value === 'string') return part(value, at, reading)
    if (!Array.isArray(value) || value.length !== 2) return reading.say(at, 'must be a string, or [string, marks]')
    return [part(value[0], `${at}[0]`, reading), marks(value[1], `${at}[1]`, reading)]
  }
  const pieces = list(piece, { max: 100 })
  return (value, at, reading) => {
    if (Array.isArray(value)) return pieces(value, at, reading)
    return typeof value === 'string'
      ? part(value, at, reading)
      : reading.say(at, 'must be a string, or an array of strings')
  }
}

const action = byType({
  closeMessage: {},
  requestAppStoreRating: {},
  promptPushPermission: {},
  trackConversionEvent: {
    'data!': object({ 'eventType!': textOf('word'), data: freeObject(DATA_LEVELS) }),
  },
  subscribeToChannel: { 'data!': object({ 'channelUuid!': textOf('word') }) },
  openUrl: { 'data!': object({ 'url!': url }) },
  deepLink: { 'data!': object({ 'deepLink!': freeObject(DATA_LEVELS) }) },
})

/** A device runs only one of these actions: the SDK for Android the first, the one for Apple the last. */
const LEADING_AWAY = ['openUrl', 'deepLink', 'requestAppStoreRating', 'promptPushPermission']

const listOfActions = list(action, { max: 10 })
const actions: Reader = (value, at, reading) => {
  const read = listOfActions(value, at, reading)
  if (Array.isArray(value) && value.filter((one) => isOfType(one, LEADING_AWAY)).length > 1) {
    reading.say(at, `must have at most one of ${LEADING_AWAY.join(', ')}: a device would run only one of them`)
  }
  return read
}

const textNode = {
  'text!': spans(text),
  align: choice(ALIGNMENTS),
  color,
  size: number(8, 72),
}

const node = byType({
  ...Object.fromEntries(TEXT_NODES.map((type) => [type, textNode])),
  image: { 'src!': picture, 'alt!': text, width: number(1, 100), radius: number(0, 64) },
  video: {
    'src!': url,
    'alt!': text,
    poster: url,
    autoplay: flag,
    loop: flag,
    muted: flag,
    captions: url,
  },
  button: {
    'text!': spans(textOf('label')),
    style: object({ fg: color, bg: color, border: color, radius: number(0, 64), size: choice(BUTTON_SIZES) }),
    'actions!': actions,
  },
})

const layer = byType({
  color: { 'color!': color },
  gradient: {
    'stops!': list(object({ 'color!': color, 'at!': number(0, 100) }), { min: 2, max: 8 }),
    angle: number(0, 360),
  },
  image: { 'src!': picture, fit: choice(FITS) },
  video: { 'src!': url, poster: url },
})

const wholeFrame = object({
  'type!': choice(FRAME_TYPES),
  'nodes!': list(node, { max: MAX_NODES }),
  backgroundLayers: list(layer, { min: 0, max: 8 }),
  stackingGravity: choice(GRAVITIES),
  closeButton: choice(CLOSE_BUTTONS),
  animation: choice(ANIMATIONS),
})

const frame: Reader = (value, at, reading) => {
  const read = wholeFrame(value, at, reading)
  if (isPlainObject(value) && value.closeButton === 'none' && !hasWayOut(value.nodes)) {
    // Other actions may do nothing (a deep link without a handler), and the message would be shown again.
    reading.say(
      joined(at, 'closeButton'),
      'is none, and no button has the action closeMessage: nobody could close the message',
    )
  }
  return read
}

const document = object({
  'ver!': choice([1]),
  'frame!': frame,
  defaults: object({
    font: object({ family: choice(FONT_FAMILIES), size: number(10, 40) }),
    fontColor: color,
    dir: choice(DIRECTIONS),
    lang: textOf('lang'),
  }),
})

/** Reads a content document; see `Reading`. The result is valid only if no problem was reported. Never throws. */
export function readDocument(given: unknown, reading: Reading): unknown {
  return document(given, '', reading)
}

function isOfType(value: unknown, types: readonly unknown[]): boolean {
  return isPlainObject(value) && types.includes(value.type)
}

function hasWayOut(nodes: unknown): boolean {
  if (!Array.isArray(nodes)) return true
  return nodes.some(
    (one) =>
      isPlainObject(one) && Array.isArray(one.actions) && one.actions.some((each) => isOfType(each, ['closeMessage'])),
  )
}
