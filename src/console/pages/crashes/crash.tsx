import { useGet, usePages } from '../../api/load.ts'
import { AsCommand, Code, JsonView } from '../../parts/code.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { platformName } from '../../parts/platforms.ts'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Copyable, formatBytes, KeyValues, More, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'

/** A crash with its stack, and the others of the same fault. */
export default function Crash({ appId, params }: PageProps) {
  const { crashId = '' } = params
  const loaded = useGet('/admin/v1/apps/{appId}/crashes/{crashId}', { path: { appId, crashId } })
  const crash = loaded.value.value
  const crumbs = [{ label: 'Crashes', href: href(`/apps/${appId}/crashes`) }]
  if (crash === undefined) {
    return (
      <div class="page">
        <PageHead title="Crash" crumbs={crumbs} />
        <Reading of={loaded} lines={8} />
      </div>
    )
  }
  return (
    <div class="page">
      <PageHead
        title={crash.exception ?? 'Crash'}
        crumbs={crumbs}
        about={crash.message === null ? undefined : <span class="user-name">{crash.message}</span>}
      />
      <div class="user-columns">
        <div class="stack">
          <Card title="Stack" about="The innermost call comes first.">
            {crash.stack.length === 0 ? (
              <p class="quiet">The report has no stack.</p>
            ) : (
              <Code text={crash.stack.join('\n')} label="Copy the stack" />
            )}
            {crash.moreLines > 0 && <p class="quiet">{formatNumber(crash.moreLines)} more lines are in the report.</p>}
            {crash.report !== null && crash.report !== undefined && (
              <More label={`The report as the app sent it (${formatBytes(crash.size)})`}>
                <JsonView value={crash.report} />
              </More>
            )}
          </Card>
          <Others appId={appId} fault={crash.fingerprint} crashId={crash.id} />
        </div>
        <Card title="About this crash">
          <KeyValues
            items={[
              ['Happened', <Time key="at" at={crash.happenedAt} isExact />],
              ['Received', <Time key="received" at={crash.receivedAt} isExact />],
              ['Platform', platformName(crash.platform)],
              ['App', crash.appVersion],
              ['System', crash.osVersion],
              ['Device', crash.device],
              [
                'Install',
                crash.report === null ? (
                  crash.installId
                ) : (
                  <a
                    key="user"
                    class="user-name"
                    href={href(`/apps/${appId}/users?${new URLSearchParams({ q: crash.installId })}`)}
                  >
                    {crash.installId}
                  </a>
                ),
              ],
              ['Fault', <Copyable key="fault" text={crash.fingerprint} />],
            ]}
          />
          <AsCommand
            command={command`crashes show ${crash.id} --app ${appId}`}
            call={{ method: 'GET', path: `/admin/v1/apps/${appId}/crashes/${crash.id}` }}
          />
        </Card>
      </div>
    </div>
  )
}

function Others({ appId, fault, crashId }: { appId: number; fault: string; crashId: number }) {
  const list = usePages('/admin/v1/apps/{appId}/crashes', { path: { appId }, query: { fault, limit: 20 } }, 'items')
  return (
    <Card title="Reports of this fault" isFlush>
      <ListTable
        label="Reports of this fault"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'When',
            cell: ({ id, happenedAt }) =>
              id === crashId ? (
                <strong>
                  <Time at={happenedAt} isExact />
                </strong>
              ) : (
                <a class="cell-link" href={href(`/apps/${appId}/crashes/${id}`)}>
                  <Time at={happenedAt} isExact />
                </a>
              ),
          },
          { title: 'App', cell: ({ appVersion }) => appVersion },
          { title: 'System', cell: ({ osVersion }) => osVersion },
          { title: 'Device', cell: ({ device }) => device },
        ]}
      />
    </Card>
  )
}
