import { Badge } from '../../parts/surfaces.tsx'

/** The mark of a push that somebody sent to see how it looks. */
export const TestBadge = () => (
  <>
    {' '}
    <Badge tone="quiet">Test</Badge>
  </>
)
