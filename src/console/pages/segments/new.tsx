import type { PageProps } from '../../state/page.ts'
import { SegmentEditor } from './editor.tsx'

/** A segment that does not exist yet. */
export default function NewSegment({ appId }: PageProps) {
  return <SegmentEditor key="new" appId={appId} />
}
