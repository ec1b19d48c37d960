import { Badge } from './surfaces.tsx'

/** The mark of a push, or of an in-app message, that somebody sent to see how it looks. It stands behind something. */
export const TestBadge = () => (
  <>
    {' '}
    <Badge tone="quiet">Test</Badge>
  </>
)
