import { Bug } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Filters } from '../../forms/filters.tsx'
import * as row from '../../forms/rows.ts'
import { AsCommand } from '../../parts/code.tsx'
import { platformName } from '../../parts/platforms.ts'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query } from '../../state/router.ts'
import { CRASH_PLATFORMS, type CrashPlatform, shortFrame } from './words.ts'

const SHOWN = [
  row.select('platform', 'Platform', {
    options: [
      { value: '', label: 'All platforms' },
      ...CRASH_PLATFORMS.map((value) => ({ value, label: platformName(value) })),
    ],
  }),
  row.select('days', 'Received', {
    options: [
      { value: '', label: 'At any time' },
      { value: '1', label: 'In the last 24 hours' },
      ...['7', '30', '90'].map((value) => ({ value, label: `In the last ${value} days` })),
    ],
  }),
]

/** Crashes by fault: what looks like one mistake in the app is one row. */
export default function Crashes({ appId }: PageProps) {
  const platform = (query.value.get('platform') ?? '') as CrashPlatform | ''
  const days = query.value.get('days') ?? ''
  const list = usePages(
    '/admin/v1/apps/{appId}/crash-groups',
    { path: { appId }, query: { ...(platform && { platform }), ...(days && { days: Number(days) }) } },
    'items',
  )
  return (
    <div class="page">
      <PageHead
        title="Crashes"
        about="What the SDKs reported. Reports of what looks like one fault are one row; the most recent faults come first."
      />
      <Filters rows={SHOWN} />
      <Card isFlush>
        <ListTable
          label="Faults"
          list={list}
          keyOf={({ fingerprint }) => fingerprint}
          empty={{
            icon: Bug,
            title: 'No crashes',
            about:
              platform === '' && days === ''
                ? 'None was reported. SDKs report them once crash reporting is switched on in the app.'
                : 'None was reported for this choice.',
          }}
          columns={[
            {
              title: 'Fault',
              cell: ({ lastId, exception, message, frame }) => (
                <span class="crash-cell">
                  <a class="cell-link" href={href(`/apps/${appId}/crashes/${lastId}`)}>
                    {exception ?? message ?? 'Unknown'}
                  </a>
                  {exception !== null && message !== null && <span class="crash-line">{message}</span>}
                  {frame !== null && <span class="crash-line mono quiet">{shortFrame(frame)}</span>}
                </span>
              ),
            },
            { title: 'Platform', cell: (row) => platformName(row.platform), isTight: true },
            { title: 'Reports', cell: ({ reports }) => <Num value={reports} />, isNumeric: true, isTight: true },
            { title: 'Installs', cell: ({ installs }) => <Num value={installs} />, isNumeric: true, isTight: true },
            { title: 'Last seen', cell: ({ lastAt }) => <Time at={lastAt} />, isTight: true },
          ]}
        />
      </Card>
      <AsCommand
        command={command`crashes list --app ${appId} --groups ${platform ? ['--platform', platform] : []} ${days ? ['--since', `${days}d`] : []}`}
        call={{ method: 'GET', path: `/admin/v1/apps/${appId}/crash-groups` }}
      />
    </div>
  )
}
