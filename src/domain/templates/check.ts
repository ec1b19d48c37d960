import type { FieldErrors } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { below, gatherProblems } from '../../platform/values/reader.ts'
import { readDocument } from './document.ts'
import { MAX_DOCUMENT_BYTES, renderDocument, sizeOf } from './render.ts'
import { type DeclaredTag, readTags, readValues } from './tags.ts'
import { templateProblem } from './texts.ts'
import type { ContentDocument, Tag, TagValues } from './types.ts'

/** The parts of a template, unchecked. */
export interface GivenBody {
  content?: unknown
  tags?: unknown
  sample?: unknown
}

/**
 * Every wrong place of a template by path: `content.frame.nodes[0].text`, `tags[1].title`, `sample.Price`. Parts that
 * are undefined are not checked; without tags, neither are rules that depend on them. Pure; never throws.
 */
export function checkTemplate({ content, tags, sample }: GivenBody): FieldErrors {
  const read = tags === undefined ? undefined : readTags(tags)
  const errors: FieldErrors = {
    ...below('tags', read?.errors ?? {}),
    ...(content !== undefined && below('content', checkDocument(content, read?.declared))),
  }
  if (sample === undefined) return errors
  if (!isPlainObject(sample)) return { ...errors, sample: ['must be an object of values by the titles of the tags'] }
  if (!read || Object.keys(errors).length > 0) return errors
  return checkSample(content as ContentDocument | undefined, [...read.declared.values()] as Tag[], sample)
}

/** Every wrong place of a document by path. `declared` holds the tags that it may use. */
export function checkDocument(content: unknown, declared: ReadonlyMap<string, DeclaredTag> | undefined): FieldErrors {
  if (!isPlainObject(content)) return { '': ['must be an object with ver and frame'] }
  const size = sizeOf(content)
  if (size > MAX_DOCUMENT_BYTES) {
    return {
      '': [`has ${size} bytes as JSON; at most ${MAX_DOCUMENT_BYTES} are allowed: refer to pictures and videos by URL`],
    }
  }
  const problems = gatherProblems()
  readDocument(content, {
    say: problems.say,
    text(value, kind, at) {
      const problem = templateProblem(value, kind, declared)
      if (problem !== undefined) problems.say(at, problem)
      return value
    },
  })
  return problems.errors()
}

/** A sample may leave tags out. If it is complete, it must result in a valid document. */
function checkSample(content: ContentDocument | undefined, tags: Tag[], sample: TagValues): FieldErrors {
  const optional = tags.map((tag) => ({ ...tag, required: false }))
  const { errors } = readValues(optional, sample)
  const isWhole = tags.every(
    ({ title, required, default: standard }) => !required || standard !== undefined || Object.hasOwn(sample, title),
  )
  if (content === undefined || !isWhole || Object.keys(errors).length > 0) return below('sample', errors)
  const rendered = renderDocument(content, tags, sample).errors ?? {}
  return Object.fromEntries(
    Object.entries(rendered).map(([path, problems]) => {
      const title = path.slice('content.'.length)
      const place = tags.findIndex((tag) => tag.title === title)
      if (place === -1) return [path, problems]
      return [Object.hasOwn(sample, title) ? `sample.${title}` : `tags[${place}].default`, problems]
    }),
  )
}

/** The values of a sample that still fit the tags: a tag may have been removed, or have changed its type. */
export function fittingSample(tags: readonly Tag[], sample: TagValues): TagValues {
  const { errors } = readValues(
    tags.map((tag) => ({ ...tag, required: false })),
    sample,
  )
  return Object.fromEntries(Object.entries(sample).filter(([title]) => !Object.hasOwn(errors, title)))
}
