import { chunks } from '../../../platform/concurrency/chunks.ts'
import { type FieldErrors, isAppError } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { firstStatus } from '../../audience/sends.ts'
import { ascending } from '../../audience/target.ts'
import { platformOf } from '../../gateways/registry.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import {
  type AnnouncedReader,
  type AnnouncedText,
  type AnnouncedToUser,
  type LinkedPushes,
  type NewLinkedPush,
  type PreparedPush,
  pushTtl,
} from '../../in-app/fan-out/linked-push.ts'
import { chainBy } from '../../personalization/people/chain.ts'
import type { JudgeLookUp } from '../../personalization/people/judge-look-ups.ts'
import type { PeopleRepository, PersonParts } from '../../personalization/people/people.repository.ts'
import { type AppReads, joinLookUps, type Reader } from '../../personalization/people/readers.ts'
import { looksLikeTemplate } from '../../personalization/read/tokens.ts'
import type { TemplateContext } from '../../personalization/types.ts'
import { untilNoneInFlight } from '../cancel.ts'
import { compileContent } from '../personal/compiled-content.ts'
import { judgePersonalContent, leastContents, unusedTemplates } from '../personal/judge.ts'
import type { Ledger, NewRun } from '../record/ledger.repository.ts'
import { SLOT } from '../record/page.ts'
import type { NewPage } from '../record/page-rows.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import { TURN_MS } from '../record/verdict.ts'
import type { NotificationsRepository } from '../repository.ts'
import { concerning, judgeSize, LONG_ID, type Previewer } from '../request/content-size.ts'
import type { NotificationRequest } from '../request/request.ts'
import { OPEN, SOURCE, STATUS, type StoredContent } from '../types.ts'
import type { FanOut } from './fan-out.ts'
import { announcementOf, contentOf, messagePath, requestOf } from './linked-content.ts'
import { destinationOf, wayTo } from './ways.ts'

export interface LinkedPushParts {
  repo: Pick<NotificationsRepository, 'insert' | 'find' | 'edit'>
  ledger: Ledger
  runs: RunsRepository
  gateways: Pick<GatewaysService, 'find' | 'lanes' | 'platforms'>
  fanOut: Pick<FanOut, 'finish'>
  /** Every kind of gateway: pushes must keep their size limits. */
  previewers: readonly Previewer[]
  /** Judges a look-up against the data tables of an app. */
  judgeLookUp: JudgeLookUp
  /** The content of a push as it is stored. Throws `invalid` when the app may not send it. */
  contentFor(appId: number, request: NotificationRequest, own: Pick<TemplateContext, 'meta'>): Promise<StoredContent>
  reads: AppReads
  people: Pick<PeopleRepository, 'ofInstalls' | 'ofUsers'>
  clock: Clock
  /** Maximum recipients per page. */
  pageSize: number
  /** Maximum time to live of a linked push, in seconds. */
  defaultTtl: number
}

/** Pushes that announce in-app messages: notifications whose pages the fan-out of the message makes. */
export function createLinkedPushes(parts: LinkedPushParts): LinkedPushes {
  const { repo, ledger, runs, gateways, fanOut, previewers, clock, pageSize, defaultTtl } = parts

  /** The content of the push, and its problems by path in the form of a push. */
  async function contentFor(appId: number, text: AnnouncedText) {
    if (text.announcing.template === undefined) {
      const content = contentOf(text)
      return { content, problems: await judgePersonalContent(parts.judgeLookUp, appId, content, 'content', OWN) }
    }
    try {
      return { content: await parts.contentFor(appId, requestOf(text), OWN), problems: {} }
    } catch (error) {
      if (!isAppError(error) || !error.details.fields) throw error
      return { content: undefined, problems: error.details.fields }
    }
  }

  async function preview(
    appId: number,
    content: StoredContent,
    { of, row }: AnnouncedReader,
    language: string | undefined,
  ): Promise<AnnouncedToUser> {
    const { needs, hasLanguages, edit, contentOf: said } = compileContent({ ...content, inAppMessageId: LONG_ID })
    const attribute = hasLanguages && language === undefined ? await parts.reads.languageAttribute(appId) : null
    const found = of === 'installs' ? parts.people.ofInstalls : parts.people.ofUsers
    const known = (await found(appId, [row], EVERYTHING)).get(row)
    const person = known && language !== undefined ? { ...known, locale: language } : known
    const app = needs.app ? { name: await parts.reads.appName(appId) } : undefined
    const reader: Reader = { person, app, now: clock.now() }
    await joinLookUps(parts.reads, appId, needs, [reader])
    const edited = edit(reader, language === undefined ? chainBy(attribute)(person) : [language])
    if (!('texts' in edited)) return edited
    const { title, message, ios, android } = said(edited)
    return { title, message, pictureUrl: android.pictureUrl ?? ios.pictureUrl ?? null }
  }

  async function open(appId: number, content: StoredContent, push: NewLinkedPush): Promise<number> {
    const now = clock.now()
    const { id } = await repo.insert({
      ...rowOf(push),
      appId,
      source: SOURCE.inApp,
      seriesId: null,
      statusReason: null,
      // Never walked: the fan-out of the message adds the recipients.
      target: { kind: 'installs', rows: [], exclude: [] },
      content: { ...content, inAppMessageId: push.messageId },
      reportingMeta: null,
      hasUserMeta: false,
      rateLimit: null,
      isTest: false,
      createdAt: now,
      updatedAt: now,
    })
    await runs.insert(appId, id, [runOf(push)])
    return id
  }

  /** Changes a push of which nothing has begun; without `content` what it says stays. False: it is over. */
  async function edit(appId: number, id: number, push: NewLinkedPush, content?: StoredContent): Promise<boolean> {
    await runs.lockDue(id)
    const before = await repo.find(appId, id)
    if (!before || !OPEN.includes(before.status)) return false
    const now = clock.now()
    const said = content && { content: { ...content, inAppMessageId: push.messageId } }
    await repo.edit(before, { ...rowOf(push), ...said, editedAt: now, updatedAt: now })
    await runs.deleteAll(appId, id)
    await runs.insert(appId, id, [runOf(push)])
    return true
  }

  return {
    async prepare(appId, text, now) {
      const { content, problems } = await contentFor(appId, text)
      const errors: FieldErrors = Object.fromEntries(
        Object.entries(problems).map(([path, why]) => [messagePath(path), why]),
      )
      if (!content) return { errors, push: undefined }
      for (const { path = 'content', content: least } of leastContents(content, 'content')) {
        const tooLarge = judgeSize({ ...least, inAppMessageId: LONG_ID }, previewers, now + pushTtl(null, defaultTtl))
        const refusals = tooLarge.length > 0 ? concerning(tooLarge, await gateways.platforms(appId)) : []
        if (refusals.length > 0) errors[messagePath(path)] ??= refusals
      }
      const push: PreparedPush = {
        announcement: announcementOf(content),
        unused: unusedTemplates(content, looksLikeTemplate).map(messagePath),
        preview: (reader, language) => preview(appId, content, reader, language),
        open: (push) => open(appId, content, push),
        replace: (id, push) => edit(appId, id, push, content),
      }
      return { errors, push }
    },

    begin: (id, { isLast, nextAt }) => runs.beginLinked(id, isLast ? clock.now() : null, nextAt),

    async add(appId, id, { installs, ttlMs, late, now }) {
      if (installs.length === 0 || !(await runs.lockLinked(id))) return
      await ledger.setStatus(id, [STATUS.scheduled, STATUS.queued], STATUS.sending, null, now)
      const pages: NewPage[] = []
      for (const [type, all] of Map.groupBy(installs, ({ platform }) => platform)) {
        const way = late ? { slot: SLOT.missed } : await wayTo(gateways, appId, platformOf(type))
        const destination = await destinationOf(gateways, appId, way, now)
        const expiresAt = ttlMs === 0 ? now + TURN_MS : now + ttlMs
        const made = { appId, notificationId: id, notBefore: now, expiresAt, byUser: true, ...destination }
        // Without duplicates, even when an install changed its user meanwhile.
        for (const rows of chunks(ascending(all.map(({ row }) => row)), pageSize)) pages.push({ ...made, rows })
      }
      await ledger.insertPages(pages, now)
    },

    async close(appId, id) {
      if (!(await runs.lockLinked(id))) return
      await runs.closeLinked(id)
      // A worker may record the last page at the same time: with the lock, one of the two sees that all is done.
      await ledger.statusOf(id, true)
      await fanOut.finish(appId, [id])
    },

    async move(appId, id, push) {
      await edit(appId, id, push)
    },

    async callOff(id, why = 'its in-app message was withdrawn') {
      await runs.lockDue(id)
      await ledger.setStatus(id, OPEN, STATUS.cancelled, why, clock.now())
      await runs.cancelDue(id)
      await ledger.releaseHeld(id, clock.now())
    },

    untilNoneInFlight: (id) => untilNoneInFlight(runs, clock, id),

    async report(appId, id) {
      const { status, delivered, opened } = (await repo.find(appId, id))!
      return { id, status, counts: await ledger.counts(appId, id), delivered, opened }
    },
  }
}

/** The columns of a push that its message decides. */
const rowOf = ({ filters, schedule, consent, labels, dueAt, ttlMs }: NewLinkedPush) => ({
  status: firstStatus(schedule),
  filters,
  labels,
  schedule,
  ...consent,
  oneTry: ttlMs === 0,
  dueAt: schedule && dueAt,
  expiresAt: dueAt + ttlMs,
})

/** Its run, which the fan-out of the message keeps open. */
const runOf = ({ dueAt }: NewLinkedPush): NewRun => ({ kind: 'linked', dueAt, within: null, expiresAt: null })

/** The parts that are read of the one user of a preview. */
const EVERYTHING: PersonParts = { identifier: true, attributes: true, locale: true, install: true }
/** A linked push has no metadata of single users. */
const OWN = { meta: false }
