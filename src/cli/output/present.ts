import type { IssuedKey } from '../../domain/apps/issued-keys.ts'
import type { AppRecord } from '../../domain/apps/types.ts'
import type { Trace } from '../../domain/notifications/report/trace.ts'
import { isoOffset, isoOffsetOrNull, plainUtc } from '../../platform/time/clock.ts'
import type { Program } from '../../program.ts'

/** The beginning of an app's short links: its link host, or in the path form the host and the path. */
export async function linkHostOf(tx: Pick<Program, 'links'>, appId: number): Promise<string> {
  return tx.links.baseOf(await tx.links.place(appId)).replace(/^https?:\/\//, '')
}

/** An app as the command line shows it. */
export async function presentApp(tx: Pick<Program, 'links' | 'pictures'>, app: AppRecord) {
  const { id, accountId, name, timezone, createdAt, updatedAt } = app
  return {
    id,
    accountId,
    name,
    linkHost: await linkHostOf(tx, id),
    timezone,
    iconUrl: await tx.pictures.iconUrl(id),
    createdAt: isoOffset(createdAt),
    updatedAt: isoOffset(updatedAt),
  }
}

/** A REST key or a scoped server key without its secret part. The scopes of a REST key are also called permissions. */
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

/** `2026-03-01 12:00:05Z`; `-` for null. */
export function shortTime(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '-' : `${plainUtc(ms)}Z`
}

/** A trace as JSON. */
export function presentTrace({ install, state, pages, answers }: Trace) {
  return {
    install,
    state,
    pages: pages.map((page) => ({ ...page, notBefore: isoOffset(page.notBefore) })),
    answers: answers.map(({ kind, reason, at }) => ({ kind, reason, at: isoOffset(at) })),
  }
}
