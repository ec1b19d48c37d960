import { href } from '../../state/router.ts'

/** Link from a push or an in-app message to the series of which it is one time. */
export function SeriesLink({ appId, id }: { appId: number; id: number }) {
  return <a href={href(`/apps/${appId}/series/${id}`)}>Series {id}</a>
}
