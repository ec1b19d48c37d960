import { invalid } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { mapTextsOf } from '../../../platform/values/map-texts.ts'
import { present } from '../../../platform/values/parse.ts'
import { looksLikeTemplate } from '../../personalization/read/tokens.ts'
import type { ReadTemplate } from '../types.ts'
import { inOurTerms } from './liquid.ts'

/** Reads push templates of OneSignal, as its API answers `GET /templates/{id}`: documentation.onesignal.com/reference/view-template. */

/** The language of the default content: OneSignal requires it of every template. */
const DEFAULT = 'en'

/** Members that are read, or say nothing about a push. */
const KNOWN = /^(?:is[A-Z]\w*|email_\w+|sms_\w+|disable_email_\w+|headings|contents|subtitle|url|data|buttons)$/
const PICTURES = /^(?:global_image|big_picture|ios_attachments)$/

type Texts = Record<string, string>

/** The push template that a template of OneSignal becomes. Throws `invalid` with the path of what stands in the way. */
export function readOneSignal(value: unknown): ReadTemplate {
  if (!isPlainObject(value) || !isPlainObject(value.content)) {
    throw invalid({ '': ['must be a template of OneSignal: an object with id, name and content'] })
  }
  const { id, name, channel, content } = value
  if (channel !== undefined && channel !== null && channel !== 'push') {
    throw invalid({ channel: [`is ${JSON.stringify(channel)}: only templates of pushes can be taken over`] })
  }
  const said = contentOf(content)
  const { ios, android } = picturesOf(content)
  const buttons = buttonsOf(content.buttons)
  const texts = JSON.stringify([said, ios, android, buttons])
  const body = present({
    uid: typeof id === 'string' ? id : undefined,
    name: typeof name === 'string' && name !== '' ? [...name].slice(0, 255).join('') : undefined,
    content: said.content,
    personalize: looksLikeTemplate(texts) ? { missing: 'empty' } : undefined,
    ios: filled({ ...ios, ...present({ subtitle: said.subtitle }) }),
    android: filled(android),
    buttons,
  })
  return { body, leftOut: leftOutOf(content) }
}

function contentOf(content: Record<string, unknown>) {
  const [headings, contents, subtitles] = [content.headings, content.contents, content.subtitle].map(textsOf) as [
    Texts,
    Texts,
    Texts,
  ]
  const missing = Object.entries({ headings, contents }).filter(([, texts]) => texts[DEFAULT] === undefined)
  if (missing.length > 0) {
    const why = 'is required: without it OneSignal shows the name of the app, or nothing'
    throw invalid(Object.fromEntries(missing.map(([part]) => [`content.${part}.${DEFAULT}`, [why]])))
  }
  const message = contents[DEFAULT]
  const tags = new Set([contents, headings, subtitles].flatMap((texts) => Object.keys(texts)))
  tags.delete(DEFAULT)
  const languages = [...tags].map((tag) => {
    const texts = { title: headings[tag] ?? headings[DEFAULT], message: contents[tag] ?? message }
    return [tag, present({ ...texts, subtitle: subtitles[tag] })] as const
  })
  const { url, data } = content
  return {
    subtitle: subtitles[DEFAULT],
    content: present({
      title: headings[DEFAULT],
      message,
      url: typeof url === 'string' && url !== '' ? inOurTerms(url) : undefined,
      data: isPlainObject(data) ? mapTextsOf(data, 'data', inOurTerms) : undefined,
      languages: languages.length > 0 ? Object.fromEntries(languages) : undefined,
    }),
  }
}

function textsOf(given: unknown): Texts {
  if (!isPlainObject(given)) return {}
  const texts = Object.entries(given).filter(([, text]) => typeof text === 'string' && text !== '')
  return Object.fromEntries(texts.map(([tag, text]) => [tag, inOurTerms(text as string)]))
}

function picturesOf({ global_image: both, big_picture: android, ios_attachments: ios }: Record<string, unknown>) {
  const first = isPlainObject(ios) ? Object.values(ios)[0] : undefined
  const [forIos, forAndroid] = [first ?? both, android ?? both].map((one) => {
    return typeof one === 'string' && one !== '' ? inOurTerms(one) : undefined
  })
  return {
    ios: forIos === undefined ? {} : { media: { pictureUrl: forIos } },
    android: forAndroid === undefined ? {} : { pictureUrl: forAndroid },
  }
}

function buttonsOf(given: unknown) {
  if (!Array.isArray(given) || given.length === 0) return undefined
  return given.map((one: unknown) => {
    if (!isPlainObject(one)) return one
    const { id, text } = one
    return present({ id, text: typeof text === 'string' ? inOurTerms(text) : text })
  })
}

const filled = <T extends object>(block: T) => (Object.keys(block).length > 0 ? block : undefined)

function leftOutOf(content: Record<string, unknown>): string[] {
  const said = Object.entries(content).filter(([, value]) => value !== null && value !== '' && value !== false)
  return said.flatMap(([key]) => (KNOWN.test(key) || PICTURES.test(key) ? [] : [key]))
}
