import type { App } from '../../app.ts'
import type { IssuedKey } from '../../domain/apps/issued-keys.ts'
import type { AppRecord } from '../../domain/apps/types.ts'
import { isoOffset, isoOffsetOrNull, plainUtc } from '../../platform/clock.ts'
import type { Trace } from '../push/trace.ts'

/** What an app's short links begin with, as people say it: its host, or in the path form the host with the path. */
export async function linkHostOf(app: Pick<App, 'links'>, appId: number): Promise<string> {
  return app.links.baseOf(await app.links.site(appId)).replace(/^https?:\/\//, '')
}

/** An app as the command line shows it. */
export function presentApp(app: AppRecord, linkHost: string) {
  const { id, accountId, name, createdAt, updatedAt } = app
  return {
    id,
    accountId,
    name,
    linkHost,
    createdAt: isoOffset(createdAt),
    updatedAt: isoOffset(updatedAt),
  }
}

/** A REST key or a scoped server key without what opens anything. What a REST key may do is called permissions as well. */
export function presentIssuedKey(key: IssuedKey) {
  const { id, appId, kind, name, hint, permissions, createdAt, lastUsedAt, revokedAt } = key
  return {
    id,
    appId,
    kind,
    name,
    hint,
    scopes: permissions,
    ...(kind === 'rest' && { permissions }),
    createdAt: isoOffset(createdAt),
    lastUsedAt: isoOffsetOrNull(lastUsedAt),
    revokedAt: isoOffsetOrNull(revokedAt),
  }
}

/** `2026-03-01 12:00:05Z` for tables; `-` for never. */
export function shortTime(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '-' : `${plainUtc(ms)}Z`
}

/** What became of one recipient. */
export function presentTrace({ install, state, pages, answers }: Trace) {
  return {
    install,
    state,
    pages: pages.map((page) => ({ ...page, notBefore: isoOffset(page.notBefore) })),
    answers: answers.map(({ kind, reason, at }) => ({ kind, reason, at: isoOffset(at) })),
  }
}
