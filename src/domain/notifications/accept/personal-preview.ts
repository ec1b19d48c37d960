import { firstPartOf, type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import { present } from '../../../platform/values/parse.ts'
import { createSample } from '../../../platform/values/sample.ts'
import type { Target } from '../../audience/types.ts'
import type { Audience, PlatformCounts } from '../../audience/walk/install-walk.ts'
import type { CrmService } from '../../crm/service.ts'
import type { PushPreview } from '../../gateways/gateway.ts'
import type { Platform } from '../../gateways/registry.ts'
import { languageMatcher } from '../../personalization/languages.ts'
import type { RenderNotes } from '../../personalization/people/coverage.ts'
import { DEFAULT_LANGUAGE } from '../../personalization/people/readers.ts'
import type { AskedPerson } from '../../personalization/request/person.ts'
import type { DefaultTaken } from '../../personalization/types.ts'
import { compileContent, type Edited, isPersonal } from '../personal/compiled-content.ts'
import { type Coverage, coverageOf, type Sampled } from '../personal/coverage.ts'
import { forReaders } from '../personal/edit-page.ts'
import type { PersonalReads } from '../personal/reads.ts'
import { contentIn } from '../personal/texts.ts'
import { warningsOf } from '../personal/warnings.ts'
import { LONG_ID, type Previewer } from '../request/content-size.ts'
import type { Draft } from '../request/draft.ts'
import type { StoredContent } from '../types.ts'

/** A push as one person gets it. */
export interface RenderedPush {
  /** Null without a person: then template texts stay as they are written. */
  userId: string | null
  installId: string | null
  /** Tag of the variant, or `default`; null for a content in one language. */
  language: string | null
  /** The reason for which the person gets nothing; null when they get it. */
  leftOut: 'missing_value' | 'too_large' | null
  /** Expressions without a value for the person. */
  missing: string[]
  /** Expressions in which a default stands for the person, and what it prints. */
  defaults: DefaultTaken[]
  /** Null when the person gets nothing. */
  title: string | null
  message: string | null
  /** The request for each kind of gateway; empty when the person gets nothing. */
  gateways: { platform: Platform; request: PushPreview }[]
}

/** The content of one person, or the reason for which there is none. */
type Got = { content: StoredContent } | Exclude<Edited, { texts: readonly string[] }>

/** The part of a preview about a content that differs between recipients. Parts that nobody asked for are absent. */
export interface PersonalPreview {
  rendered?: RenderedPush
  warnings?: string[]
  coverage?: Coverage
}

export interface PersonalPreviewParts {
  reads: PersonalReads
  previewers: readonly Previewer[]
  book: Pick<CrmService, 'showInstall' | 'showUser'>
  audience: Pick<Audience, 'count'>
  clock: { now(): number }
}

export type PersonalPreviewer = ReturnType<typeof createPersonalPreview>

/** Renders pushes that are still being written: for a person, and for a sample of the audience. Stores nothing. */
export function createPersonalPreview({ reads, previewers, book, audience, clock }: PersonalPreviewParts) {
  const envelopeOf = (expiresAt: number) => ({ expiresAt, replacementKey: `n${LONG_ID}` })

  function requestsFor(content: StoredContent, expiresAt: number): RenderedPush['gateways'] {
    const message = { ...envelopeOf(expiresAt), content: { ...content, notificationId: LONG_ID } }
    return previewers.map(({ platform, preview }) => ({ platform, request: preview(message) }))
  }

  /** The push for the person that was asked for. Throws `not_found` when there is none. */
  async function render(appId: number, draft: Draft, asked: AskedPerson): Promise<RenderedPush> {
    const { content, expiresAt } = draft
    const { language } = asked
    const who = await personOf(appId, asked)
    if (!who) {
      const { tag, text } = inLanguage(content, language)
      const { title, message } = text
      const same = { userId: null, installId: null, leftOut: null, missing: [], defaults: [] }
      return { ...same, language: tag, title, message, gateways: requestsFor(text, expiresAt) }
    }
    const { got, notes, tag } = await editedFor(appId, draft, who.of, language)
    const { userId, installId } = who
    const same = { userId, installId, missing: [...new Set(notes.missing)], defaults: notes.defaults }
    if (!('content' in got)) {
      const leftOut = 'missing' in got ? 'missing_value' : 'too_large'
      const missing = 'missing' in got ? [...new Set([...got.missing, ...same.missing])] : same.missing
      return { ...same, missing, leftOut, language: null, title: null, message: null, gateways: [] }
    }
    const { title, message } = got.content
    return { ...same, leftOut: null, language: tag, title, message, gateways: requestsFor(got.content, expiresAt) }
  }

  /** The content for one person. `language`: in the place of their own. */
  async function editedFor(
    appId: number,
    { content, userMeta }: Draft,
    of: { of: 'installs' | 'users'; rows: readonly number[] },
    language: string | undefined,
  ): Promise<{ got: Got; notes: RenderNotes; tag: string | null }> {
    const compiled = compileContent(content)
    const notes: RenderNotes = { missing: [], defaults: [] }
    const message = { appId, notificationId: undefined, content: compiled, userMeta, language }
    let found: Edited | undefined
    await forReaders(reads, message, of, clock.now(), (_, reader, chain) => {
      found = compiled.edit(reader, chain, notes)
    })
    const edited = found!
    if (!('texts' in edited)) return { got: edited, notes, tag: null }
    const tag = compiled.hasLanguages ? (edited.language ?? DEFAULT_LANGUAGE) : null
    return { got: { content: compiled.contentOf(edited) }, notes, tag }
  }

  async function personOf(appId: number, { userId, installId }: AskedPerson) {
    if (installId !== undefined) {
      const { row, userIdentifier } = await book.showInstall(appId, installId)
      return { userId: userIdentifier, installId, of: { of: 'installs', rows: [row] } as const }
    }
    if (userId === undefined) return undefined
    const { id } = await book.showUser(appId, userId)
    return { userId, installId: null, of: { of: 'users', rows: [id] } as const }
  }

  /** Renders a content for each install of a sample. `pace`: that of a long read. */
  function cover(
    appId: number,
    { content, userMeta, expiresAt }: Draft,
    sample: readonly Sampled[],
    pace: Pace = unhurried,
  ): Promise<Coverage> {
    const parts = { reads, previewers, envelope: envelopeOf(expiresAt), notificationId: LONG_ID }
    const message = { appId, notificationId: undefined, content: compileContent(content), userMeta, named: true }
    return coverageOf(parts, message, sample, clock.now(), pace)
  }

  return {
    render,
    cover,

    /** The content for an install, by its row. */
    async forInstall(appId: number, draft: Draft, row: number): Promise<Got> {
      return (await editedFor(appId, draft, { of: 'installs', rows: [row] }, undefined)).got
    },

    /** Counts an audience, and renders the content for a sample of `size` of those who were counted. */
    async measure(
      appId: number,
      draft: Draft,
      target: Target,
      size: number,
      pace: Pace = unhurried,
    ): Promise<{ counted: PlatformCounts; coverage: Coverage }> {
      const sample = createSample<Sampled>(size)
      const counted = await audience.count(appId, target, firstPartOf(pace), (platform, rows) => {
        for (const row of rows) sample.offer({ platform, row })
      })
      return { counted, coverage: await cover(appId, draft, sample.items(), pace) }
    },
  }
}

/** The content for people of a language, with its template texts as they are written. Pure. */
export function inLanguage(
  content: StoredContent,
  language: string | undefined,
): { tag: string | null; text: StoredContent } {
  const tags = Object.keys(content.languages ?? {})
  const tag = languageMatcher(tags)([language])
  return { tag: tags.length > 0 ? (tag ?? DEFAULT_LANGUAGE) : null, text: contentIn(content, tag) }
}

/** The parts with the warnings, if there are any; a content that differs between recipients always has the list. */
export function personalPartsOf(
  { content, userMeta }: Pick<Draft, 'content' | 'userMeta'>,
  { rendered, coverage }: { rendered?: RenderedPush | undefined; coverage?: Coverage | undefined },
): PersonalPreview {
  const warnings = warningsOf(content, userMeta, coverage)
  const isAsked = rendered !== undefined || coverage !== undefined || isPersonal(content)
  return present({ rendered, coverage, warnings: isAsked || warnings.length > 0 ? warnings : undefined })
}
