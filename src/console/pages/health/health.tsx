import { useEffect } from 'preact/hooks'
import type { Answer } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Badge, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/values.tsx'
import { LogTail } from './log-tail.tsx'
import { Overview } from './overview.tsx'
import { Settings } from './settings.tsx'

/** The time (ms) after which checks that had not answered are asked for again. */
const AGAIN_MS = 1000

/** The state of the server, for the people who operate it. */
export default function HealthPage() {
  const health = useGet('/admin/v1/health')
  const now = health.value.value
  const isChecking = now !== undefined && now.underWay.length > 0
  useEffect(() => {
    if (!isChecking) return
    const timer = setTimeout(health.reload, AGAIN_MS)
    return () => clearTimeout(timer)
  }, [now, isChecking])
  return (
    <div class="page wide">
      <PageHead
        title="Health"
        about={
          now && (
            <span class="row">
              <Verdict {...now} />
              <span class="quiet">
                Looked at <Time at={now.asOf} />
              </span>
            </span>
          )
        }
        actions={<Button onClick={health.reload}>Refresh</Button>}
      />
      <Tabs
        label="Health"
        items={[
          {
            name: 'overview',
            label: 'Overview',
            panel: () =>
              health.error.value !== undefined ? (
                <Failed error={health.error.value} retry={health.reload} />
              ) : now === undefined ? (
                <Skeleton lines={6} />
              ) : (
                <Overview health={now} />
              ),
          },
          { name: 'log', label: 'Log', panel: () => <LogTail /> },
          { name: 'settings', label: 'Settings', panel: () => <Settings /> },
        ]}
      />
      <AsCommand command="appsvc doctor" call={{ method: 'GET', path: '/admin/v1/health' }} />
    </div>
  )
}

/** The verdict of `appsvc doctor`, with its counts. */
function Verdict({ errors, warnings, underWay }: Pick<Answer<'/admin/v1/health'>, 'errors' | 'warnings' | 'underWay'>) {
  const isChecking = underWay.length > 0
  return (
    <>
      {errors > 0 && <Badge tone="bad">{errors === 1 ? '1 error' : `${errors} errors`}</Badge>}
      {warnings > 0 && <Badge tone="warn">{warnings === 1 ? '1 warning' : `${warnings} warnings`}</Badge>}
      {errors + warnings === 0 && !isChecking && <Badge tone="good">All is well</Badge>}
      {isChecking && <span class="quiet">Still checking: {underWay.join(', ')}</span>}
    </>
  )
}
