import { allPages } from '../../state/page.ts'
import { may } from '../../state/session.ts'

/** The address of the first of these pages that there is and that the person may open: nobody is led to a dead end. */
export function pageOf(appId: number, ...patterns: readonly string[]): string | undefined {
  const found = allPages.value.find(
    ({ path, right }) =>
      patterns.includes(path) && right !== 'nobody' && may(right, path.includes(':appId') ? appId : undefined),
  )
  return found?.path.replace(':appId', String(appId))
}

const GATEWAYS = ['/apps/:appId/gateways'] as const
const HEALTH = ['/health'] as const

/** Pages where a finding of the doctor can be put right, by check. */
const LEADS: Readonly<Record<string, { label: string; pages: readonly string[] }>> = {
  lanes: { label: 'Look at the gateways', pages: GATEWAYS },
  credentials: { label: 'Look at the gateways', pages: GATEWAYS },
  webhooks: { label: 'Look at the webhooks', pages: ['/apps/:appId/webhooks'] },
  backups: { label: 'Look at the backups', pages: ['/operating'] },
  load: { label: 'Look at the load', pages: ['/operating'] },
  series: { label: 'Look at the series', pages: ['/apps/:appId/series'] },
}

export function leadOf(appId: number, check: string): { label: string; path: string } | undefined {
  const { label, pages } = LEADS[check] ?? { label: 'Look at the health of the server', pages: HEALTH }
  const path = pageOf(appId, ...pages)
  return path === undefined ? undefined : { label, path }
}

/** Pages where each of the first steps is taken. */
export const STEP_PAGES: Readonly<Record<string, { label: string; pages: readonly string[] }>> = {
  gateway: { label: 'Set up a gateway', pages: GATEWAYS },
  install: { label: 'See the keys of the app', pages: ['/apps/:appId/keys'] },
  push: { label: 'Compose the first push', pages: ['/apps/:appId/push/new'] },
  open: { label: 'See what became of the push', pages: ['/apps/:appId/delivery'] },
}
