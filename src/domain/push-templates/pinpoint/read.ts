import { invalid } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { present } from '../../../platform/values/parse.ts'
import type { ReadTemplate } from '../types.ts'
import { inOurTerms, isPersonalised } from './variables.ts'

/**
 * Reads push templates of Amazon Pinpoint, as `aws pinpoint get-push-template` prints them:
 * docs.aws.amazon.com/pinpoint/latest/apireference/templates-template-name-push.html.
 */

type Block = Readonly<Record<string, string>>

/** The blocks whose texts people see here, the most general first. */
const BLOCKS = ['Default', 'APNS', 'GCM'] as const
type Name = (typeof BLOCKS)[number]
/** Blocks of services that no gateway here reaches. */
const FOREIGN = ['ADM', 'Baidu']
/** Members of a template that are about itself. */
const ABOUT = /^(?:Arn|CreationDate|LastModifiedDate|TemplateName|TemplateType|Version|DefaultSubstitutions)$/

/** The push template that a template of Pinpoint becomes. Throws `invalid` with the path of what stands in the way. */
export function readPinpoint(value: unknown): ReadTemplate {
  const template = isPlainObject(value) ? (value.PushNotificationTemplateResponse ?? value) : undefined
  if (!isPlainObject(template) || typeof template.TemplateName !== 'string') {
    throw invalid({ '': ['must be a push template of Amazon Pinpoint: what aws pinpoint get-push-template prints'] })
  }
  const defaults = defaultsOf(template.DefaultSubstitutions)
  const used = new Set<string>()
  const blocks = Object.fromEntries(BLOCKS.map((name) => [name, blockOf(template[name])])) as Record<Name, Block>

  /** The first text of these members; what says the same in other blocks counts as taken over. */
  function take(member: string, names: readonly Name[] = BLOCKS): string | undefined {
    const first = names.find((name) => blocks[name][member] !== undefined)
    const text = first && blocks[first][member]
    for (const name of names) if (blocks[name][member] === text) used.add(`${name}.${member}`)
    return text === undefined ? undefined : inOurTerms(text, defaults)
  }

  const [title, message, sound] = [take('Title'), take('Body'), take('Sound', ['APNS', 'Default'])]
  const missing = Object.entries({ Title: title, Body: message }).filter(([, text]) => text === undefined)
  if (missing.length > 0) {
    const why = 'is required in Default, APNS or GCM: a template that only has RawContent must be written anew'
    throw invalid(Object.fromEntries(missing.map(([member]) => [`Default.${member}`, [why]])))
  }
  const [forIos, forAndroid] = [take('MediaUrl', ['APNS']), take('ImageUrl', ['GCM'])]
  const opens = BLOCKS.filter((name) => ['URL', 'DEEP_LINK'].includes(blocks[name].Action ?? ''))
  const content = present({ title, message, url: take('Url', opens) })
  const ios = present({ sound, media: forIos === undefined ? undefined : { pictureUrl: forIos } })
  const android = present({ pictureUrl: forAndroid })
  const body = present({
    uid: template.TemplateName,
    name: template.TemplateName,
    content,
    // Pinpoint sends nothing to whom a value is missing that has no default.
    personalize: isPersonalised(JSON.stringify([content, ios, android])) ? { missing: 'skip' } : undefined,
    ios: filled(ios),
    android: filled(android),
  })
  return { body, leftOut: leftOutOf(template, blocks, used) }
}

function blockOf(given: unknown): Block {
  if (!isPlainObject(given)) return {}
  return Object.fromEntries(
    Object.entries(given).filter(([, text]) => typeof text === 'string' && text !== ''),
  ) as Block
}

/** Words by path of a variable: a JSON object, as text. */
function defaultsOf(given: unknown): Record<string, unknown> {
  if (given === undefined || given === null || given === '') return {}
  try {
    const read: unknown = typeof given === 'string' ? JSON.parse(given) : given
    if (isPlainObject(read)) return read
  } catch {
    // Told below.
  }
  throw invalid({ DefaultSubstitutions: ['must be a JSON object of words by the paths of variables'] })
}

const filled = <T extends object>(block: T) => (Object.keys(block).length > 0 ? block : undefined)

/** Members of blocks that were not taken over: other words for one platform, icons, raw payloads. */
function leftOutOf(
  template: Record<string, unknown>,
  blocks: Record<Name, Block>,
  used: ReadonlySet<string>,
): string[] {
  const inside = BLOCKS.flatMap((name) =>
    Object.keys(blocks[name]).flatMap((member) =>
      member === 'Action' || used.has(`${name}.${member}`) ? [] : [`${name}.${member}`],
    ),
  )
  const foreign = FOREIGN.filter((name) => Object.keys(blockOf(template[name])).length > 0)
  const others = Object.entries(template).flatMap(([member, value]) => {
    const isKnown = ABOUT.test(member) || [...BLOCKS, ...FOREIGN].includes(member)
    const isEmpty = value === null || value === '' || (isPlainObject(value) && Object.keys(value).length === 0)
    return isKnown || isEmpty ? [] : [member]
  })
  return [...inside, ...foreign, ...others]
}
