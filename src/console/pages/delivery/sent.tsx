import { PackageOpen } from 'lucide'
import { JsonView } from '../../parts/code.tsx'
import { platformName, vendorOf } from '../../parts/platforms.ts'
import { Card, Empty } from '../../parts/surfaces.tsx'
import { formatBytes, KeyValues, Meter } from '../../parts/values.tsx'
import type { Report } from './words.ts'

/** The very requests that the gateways got, one for each platform. */
export function SentRequests({ report: { sent } }: { report: Report }) {
  if (sent.length === 0) {
    return (
      <Card>
        <Empty icon={PackageOpen} title="Nothing was sent yet">
          As soon as a gateway got a request, it stands here as it was sent.
        </Empty>
      </Card>
    )
  }
  return (
    <div class="stack loose">
      {sent.map(({ platform, headers, payload, bytes, limit }) => (
        <Card
          key={platform}
          title={platformName(platform)}
          about={`What ${vendorOf(platform)} got, without the token of the device and what is its user’s own.`}
        >
          <div class="stack">
            <Meter label="Size" value={bytes} max={limit} text={`${formatBytes(bytes)} of ${formatBytes(limit)}`} />
            {Object.keys(headers).length > 0 && (
              <KeyValues items={Object.entries(headers).map(([name, value]) => [name, String(value)] as const)} />
            )}
            <JsonView value={payload} />
          </div>
        </Card>
      ))}
    </div>
  )
}
