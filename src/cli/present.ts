import type { AppRecord } from '../domain/apps/types.ts'
import { isoOffset } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Trace } from './trace.ts'

/** The host below which an app's short links live; without `links.domain` one that resolves to this machine (decisions 1). */
export function presentLinkHost(app: Pick<AppRecord, 'linkHostLabel'>, config: Config): string {
  const domain = config['links.domain']
  if (domain !== '') return `${app.linkHostLabel}.${domain}`
  return `${app.linkHostLabel}.localhost:${config.port}`
}

/** An app as the command line shows it. */
export function presentApp(app: AppRecord, config: Config) {
  const { id, accountId, name, createdAt, updatedAt } = app
  return {
    id,
    accountId,
    name,
    linkHost: presentLinkHost(app, config),
    createdAt: isoOffset(createdAt),
    updatedAt: isoOffset(updatedAt),
  }
}

/** `2026-03-01 12:00:05Z` for tables; `-` for never. */
export function shortTime(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '-' : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`
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
