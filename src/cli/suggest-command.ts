import { suggest } from '../platform/text/suggest.ts'
import { meansNothing, meantBy, meantByTypo } from './manual/other-words.ts'

type VerbClass = 'reading' | 'writing' | 'removing'

/** Verbs of commands, and those that people expect, by what they do to the data. All others write. */
const CLASSES: Record<Exclude<VerbClass, 'writing'>, string> = {
  removing: 'delete drop remove revoke erase withdraw cancel down destroy rm unset clear forget purge wipe',
  reading:
    'list show ls get view find search check preview status tail trace versions starters export download ' +
    'recipients imports subscriptions attempts qr test sign',
}
const CLASS_OF = new Map<string, VerbClass>(
  (Object.keys(CLASSES) as (keyof typeof CLASSES)[]).flatMap((name) =>
    CLASSES[name].split(' ').map((verb) => [verb, name]),
  ),
)

/** Words that people type for a verb of ours. */
const SYNONYMS: Record<string, readonly string[]> = {
  ls: ['list'],
  get: ['show'],
  view: ['show'],
  find: ['list'],
  search: ['list'],
  download: ['export'],
  new: ['create', 'add', 'set'],
  add: ['create', 'set'],
  make: ['create', 'set'],
  edit: ['update', 'alter', 'set'],
  change: ['update', 'alter', 'set'],
}

/**
 * The command that somebody probably means, as words; undefined when there is none. It never does another kind of thing
 * than the words typed: for `users wipe` it is `users delete`, and nothing that reads or writes is answered with a
 * command that removes. `ids` are those of the commands, `topics` their first words.
 */
export function suggestCommand(
  words: readonly string[],
  ids: readonly string[],
  topics: readonly string[],
): string | undefined {
  const [first = '', verb] = words
  if (verb === undefined) {
    if (meansNothing(first.toLowerCase())) return undefined
    const own = suggest(first, [...ids.filter((id) => !id.includes(' ')), ...topics])
    return meantBy(first.toLowerCase()) ?? own ?? meantByTypo(first.toLowerCase())
  }
  // `quiet hours`, `notifications cancel`
  const both = meantBy(`${first}-${verb}`.toLowerCase())
  if (both !== undefined) return both
  if (topics.includes(first)) return inTopic(first, verb, ids)
  // `delete users`, `delete user`
  const turned = [verb, `${verb}s`].find((word) => topics.includes(word))
  if (turned !== undefined) return inTopic(turned, first, ids) ?? meantBy(first.toLowerCase())
  // `people list`
  const meant = meantBy(first.toLowerCase())
  if (meant !== undefined) return inTopic(meant.split(' ')[0]!, verb, ids) ?? meant
  const topic = suggest(first, topics)
  const single = suggest(
    first,
    ids.filter((id) => !id.includes(' ')),
  )
  if (topic === undefined) return single ?? meantByTypo(first.toLowerCase())
  return inTopic(topic, verb, ids) ?? topic
}

function inTopic(topic: string, typed: string, ids: readonly string[]): string | undefined {
  const verbs = ids.filter((id) => id.startsWith(`${topic} `)).map((id) => id.slice(topic.length + 1))
  if (verbs.includes(typed)) return `${topic} ${typed}`
  const wanted = CLASS_OF.get(typed) ?? CLASS_OF.get(suggest(typed, [...CLASS_OF.keys(), ...verbs]) ?? '')
  const same = verbs.filter((verb) => classOf(verb) === (wanted ?? classOf(suggest(typed, verbs) ?? '')))
  const synonym = SYNONYMS[typed]?.find((verb) => same.includes(verb))
  const near = synonym ?? suggest(typed, same) ?? (wanted === 'removing' && same.length === 1 ? same[0] : undefined)
  return near === undefined ? undefined : `${topic} ${near}`
}

function classOf(verb: string): VerbClass {
  return CLASS_OF.get(verb) ?? 'writing'
}
