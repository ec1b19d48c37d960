import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import {
  address,
  addressOrPath,
  closedShape,
  type Infer,
  present,
  text,
  withoutNulls,
} from '../../../platform/values/parse.ts'
import { judgeOfPlaces, type Places } from '../../personalization/request/places.ts'
import {
  byLanguage,
  judgePlainAddress,
  lookUpField,
  personalizeField,
  templateAddress,
} from '../../personalization/request/schema.ts'
import { RECURRING_PLACES } from '../../schedules/schema.ts'
import type { PersonalParts, Variant } from '../types.ts'
import { buttonOf, buttonsField } from './presentation.ts'
import { dataField } from './request.ts'

/** The parts that make a push differ between recipients: language variants, template texts and look-ups. Every form takes the same. */

/** The fields beside the content. */
export const personalFields = { personalize: personalizeField(), lookup: lookUpField() }

const picture = () => address(['http', 'https'])

/** The content in one language. */
const variantBlock = closedShape({
  // As of the content itself, the rest of the request decides whether they may be empty.
  title: text({ empty: true }).defined(),
  message: text({ empty: true }).defined(),
  url: templateAddress(addressOrPath()),
  data: dataField(),
  pictureUrl: templateAddress(picture()),
  subtitle: text(),
  buttons: buttonsField(),
})

/** `languages`: the content by language tag. */
export function languagesField() {
  return byLanguage<Infer<typeof variantBlock>>(variantBlock, {
    must: 'must be an object with title and message',
    title: 'LanguageVariant',
    description: 'The content by BCP 47 language tag. What a variant leaves out is taken from the content itself',
  })
}

/**
 * Rules about where these fields stand: an ignored one would send braces, or the wrong language. `content` is the block of the form
 * that has one, `prefix` the path of its fields.
 */
export function judgePersonal(body: Record<string, unknown>, prefix: 'content.' | ''): FieldErrors {
  const errors = prefix === '' ? misplacedInFlat(body) : misplacedKeys(body)
  const content = prefix === '' ? body : body.content
  // A push template may bring what is missing: then the whole body is judged.
  if (isPlainObject(content) && content.template !== undefined && content.template !== null) return errors
  if (body.lookup !== undefined && body.lookup !== null && !isPlainObject(body.personalize)) {
    errors.lookup = ['is for texts that are personalised: give personalize as well, such as {"personalize": {}}']
  }
  return isPlainObject(body.personalize) ? errors : { ...errors, ...plainAddresses(body, content, prefix) }
}

const IN_TEMPLATE: Places = {
  blocks: ['content', 'ios', 'android', 'buttons'],
  keys: {
    languages: { at: ['content'], says: 'belongs into content: content.languages' },
    template: { at: ['content'], says: 'belongs into content: write content.template' },
    personalize: { at: [''], says: 'belongs beside content, at the top of the request: personalize' },
    lookup: { at: [''], says: 'belongs beside content, at the top of the request: lookup' },
  },
}
/** The keys that stand in the wrong place of a push template, which says nothing of when it is sent. */
export const misplacedInTemplate = judgeOfPlaces(IN_TEMPLATE)
/** The keys that stand in the wrong place of a request with `content`. */
export const misplacedKeys = judgeOfPlaces({
  blocks: ['target', 'schedule', ...IN_TEMPLATE.blocks],
  keys: { ...RECURRING_PLACES, ...IN_TEMPLATE.keys },
})
const AT_TOP = { at: [''], says: 'belongs at the top of the request, which has no content in this form' }
const misplacedInFlat = judgeOfPlaces({
  blocks: ['content', 'languages', 'ios', 'android', 'schedule', 'buttons', 'soundConfig'],
  keys: {
    ...RECURRING_PLACES,
    languages: AT_TOP,
    template: AT_TOP,
    personalize: AT_TOP,
    lookup: AT_TOP,
  },
})

/** In a request that is not personalised, braces in an address are as wrong as ever. */
function plainAddresses(body: Record<string, unknown>, content: unknown, prefix: string): FieldErrors {
  const at = (block: unknown, key: string) => (isPlainObject(block) ? block[key] : undefined)
  const errors = {
    ...judgePlainAddress(`${prefix}url`, at(content, 'url')),
    ...judgePlainAddress('ios.media.pictureUrl', at(at(body.ios, 'media'), 'pictureUrl'), picture),
    ...judgePlainAddress('android.pictureUrl', at(body.android, 'pictureUrl'), picture),
  }
  const languages = at(content, 'languages')
  for (const [tag, variant] of isPlainObject(languages) ? Object.entries(languages) : []) {
    const path = `${prefix}languages.${tag}`
    Object.assign(errors, judgePlainAddress(`${path}.url`, at(variant, 'url')))
    Object.assign(errors, judgePlainAddress(`${path}.pictureUrl`, at(variant, 'pictureUrl'), picture))
  }
  return errors
}

/** The parts of a checked request that make its content differ between recipients. */
export function personalPartsOf({
  languages,
  personalize,
  lookup,
}: {
  languages?: Readonly<Record<string, Infer<typeof variantBlock>>> | undefined
  personalize?: Infer<typeof personalFields.personalize> | undefined
  lookup?: PersonalParts['lookup'] | undefined
}): PersonalParts {
  return present({
    languages: languages && mapValues(languages, variantOf),
    personalize: personalize && { missing: personalize.missing ?? ('skip' as const) },
    lookup,
  })
}

const mapValues = <A, B>(all: Readonly<Record<string, A>>, map: (one: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(all).map(([key, one]) => [key, map(one)]))

function variantOf(given: Infer<typeof variantBlock>): Variant {
  const { title, message, url, data, pictureUrl, subtitle, buttons } = withoutNulls(variantBlock, given) as typeof given
  return {
    title,
    message,
    ...present({ url, data: data ?? undefined, pictureUrl, subtitle, buttons: buttons?.map(buttonOf) }),
  }
}
