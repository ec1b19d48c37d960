import type { Clock } from '../../platform/clock.ts'
import { type Platform, platformOf } from '../gateways/gateway.ts'
import type { GatewaysService } from '../gateways/service.ts'
import { type LinkedPushes, type PushedInstall, pushTtl } from '../inapp/linked-push.ts'
import type { Announcement } from '../inapp/types.ts'
import { concerning, judgeSize, type Previewer } from './content-size.ts'
import type { Dispatch } from './dispatch.ts'
import type { Ledger, NewPage } from './ledger.repository.ts'
import { SLOT } from './page.ts'
import type { NotificationsRepository } from './repository.ts'
import type { RunsRepository } from './runs.repository.ts'
import { SOURCE, STATUS, type StoredContent } from './types.ts'

export interface LinkedPushParts {
  repo: Pick<NotificationsRepository, 'insert' | 'find'>
  ledger: Ledger
  runs: RunsRepository
  gateways: Pick<GatewaysService, 'find' | 'lanes' | 'platforms'>
  dispatch: Pick<Dispatch, 'finishIfDone'>
  /** The gateways whose size limits every push must keep. */
  previewers: readonly Previewer[]
  clock: Clock
  /** Recipients of a page. */
  pageSize: number
  /** Seconds: what a push has at most. */
  defaultTtl: number
}

const OPEN = [STATUS.scheduled, STATUS.queued, STATUS.sending]
/** Longer than any id that is likely: what passes the check never fails at the gateway. */
const LONG_ID = 9_999_999_999

/** Pushes that announce in-app messages: notifications whose pages are made by the message's own fan-out. */
export function linkedPushes(parts: LinkedPushParts): LinkedPushes {
  const { repo, ledger, runs, gateways, dispatch, previewers, clock, pageSize, defaultTtl } = parts

  async function wayOf(appId: number, type: number): Promise<{ platform: Platform } | { slot: number }> {
    const platform = platformOf(type)
    if (platform === undefined) return { slot: SLOT.skipped }
    const credential = await gateways.find(appId, platform)
    return credential?.sendable ? { platform } : { slot: SLOT.no_gateway }
  }

  return {
    async judge(appId, announcement, now) {
      const expiresAt = now + pushTtl(null, defaultTtl)
      const tooLarge = judgeSize(contentOf(announcement, LONG_ID), previewers, expiresAt)
      return tooLarge.length > 0 ? concerning(tooLarge, await gateways.platforms(appId)) : []
    },

    async open(appId, { messageId, announcement, filters, schedule, dueAt, ttlMs }) {
      const now = clock.now()
      const { id } = await repo.insert({
        appId,
        source: SOURCE.inApp,
        status: schedule ? STATUS.scheduled : STATUS.queued,
        statusReason: null,
        filters,
        // Nobody walks it: its message does.
        target: { kind: 'installs', rows: [], exclude: [] },
        content: contentOf(announcement, messageId),
        reportingMeta: null,
        hasUserMeta: false,
        schedule,
        rateLimit: null,
        expiresAt: dueAt + ttlMs,
        createdAt: now,
        updatedAt: now,
      })
      await runs.insert(appId, id, [{ kind: 'linked', dueAt, within: null, expiresAt: null }])
      return id
    },

    begin: (id, { isLast, nextAt }) => runs.beginLinked(id, isLast ? clock.now() : null, nextAt),

    async add(appId, id, { installs, ttlMs, late, now }) {
      if (installs.length === 0 || !(await runs.lockLinked(id))) return
      await ledger.setStatus(id, [STATUS.scheduled, STATUS.queued], STATUS.sending, null, now)
      const pages: NewPage[] = []
      for (const [type, all] of Map.groupBy(installs, ({ platform }) => platform)) {
        const way = late ? { slot: SLOT.missed } : await wayOf(appId, type)
        const made = { appId, notificationId: id, notBefore: now, expiresAt: now + ttlMs }
        for (const rows of pagesOf(all, pageSize)) {
          if ('slot' in way) pages.push({ ...made, rows, slot: way.slot })
          else pages.push({ ...made, rows, laneId: (await gateways.lanes.ensure(appId, way.platform, now)).id })
        }
      }
      await ledger.insertPages(pages, now)
    },

    async close(appId, id) {
      if (!(await runs.lockLinked(id))) return
      await runs.closeLinked(id)
      // Others may record the last of its pages at the same time: one of us must see that all is done.
      await ledger.statusOf(id, true)
      await dispatch.finishIfDone(appId, id)
    },

    async callOff(id) {
      await runs.lockDue(id)
      await ledger.setStatus(id, OPEN, STATUS.cancelled, 'its in-app message was withdrawn', clock.now())
      await runs.cancelDue(id)
    },

    isOnItsWay: (id) => runs.isAnyBegun(id),

    async report(appId, id) {
      const { status, delivered, opened } = (await repo.find(appId, id))!
      return { id, status, counts: await ledger.counts(appId, id), delivered, opened }
    },
  }
}

function contentOf({ title, message, ios, android }: Announcement, inAppMessageId: number): StoredContent {
  const [forIos, forAndroid] = [ios?.media?.pictureUrl, android?.pictureUrl]
  return {
    title,
    message,
    background: false,
    inAppMessageId,
    ios: forIos === undefined ? {} : { pictureUrl: forIos },
    android: forAndroid === undefined ? {} : { pictureUrl: forAndroid },
  }
}

/** Rows in order, an install once even when it changed its user meanwhile. */
function pagesOf(installs: readonly PushedInstall[], size: number): number[][] {
  const rows = [...new Set(installs.map(({ row }) => row))].sort((a, b) => a - b)
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size))
}
