import type { Catalogue } from './groups.ts'
import { meantBy } from './other-words.ts'

/** A command that answers to the words of a search. */
export interface FoundCommand {
  /** Its words, as typed. */
  id: string
  summary: string
}

/** The most commands that a search shows: more are no answer. */
const MOST = 20
/** Weights of a word by the place where it stands. */
const IN_NAME = 8
const IN_SUMMARY = 3
const IN_DESCRIPTION = 1
/** Words of a question that tell nothing of what is asked for. */
const FILLERS = new Set('a an the to of for in on my our all how do does can i we it is with and'.split(' '))

/**
 * Finds commands by words of their names, summaries, descriptions and flags, the best first. Every word must begin one of theirs; a word that other
 * products use also finds what stands for it here.
 */
export function searchCommands({ commands, topics }: Catalogue, words: readonly string[]): FoundCommand[] {
  const typed = words.flatMap((word) => word.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((word) => word !== '')
  const telling = typed.filter((word) => !FILLERS.has(word))
  const wanted = telling.length > 0 ? telling : typed
  if (wanted.length === 0) return []
  const meant = meantBy(words.join('-').toLowerCase()) ?? meantBy(wanted.join('-'))
  const ranked = Object.entries(commands).flatMap(([id, { summary = '', description = '', flags }]) => {
    const name = id.replaceAll(':', ' ')
    const about = `${description} ${topics[id.split(':')[0]!] ?? ''} ${flagNames(flags).join(' ')}`
    const scores = wanted.map((word) => scoreOf(word, { name, summary, about }))
    const isMeant = meant === name || meant === name.split(' ')[0]
    if (!isMeant && scores.some((score) => score === 0)) return []
    const score = scores.reduce((sum, one) => sum + one, 0) + (isMeant ? 2 * IN_NAME : 0)
    return [{ id: name, summary, score }]
  })
  return ranked
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, MOST)
    .map(({ id, summary }) => ({ id, summary }))
}

function scoreOf(word: string, { name, summary, about }: { name: string; summary: string; about: string }): number {
  if (begins(word, name)) return IN_NAME
  if (begins(word, summary)) return IN_SUMMARY
  return begins(word, about) ? IN_DESCRIPTION : 0
}

/** Tells whether a word of the text begins so; an `s` at the end of `word` may be missing there. */
function begins(word: string, text: string): boolean {
  const stem = word.length > 3 ? word.replace(/s$/, '') : word
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((one) => one.startsWith(stem))
}

/** Names of flags; a command without any declares none. */
function flagNames(flags: Readonly<Record<string, unknown>> | undefined): string[] {
  return Object.keys(flags ?? {})
}
