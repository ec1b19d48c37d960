import { type ComponentChildren, Fragment } from 'preact'
import { api } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { readWhole } from '../api/whole.ts'
import { href } from '../state/router.ts'
import { formatNumber } from './numbers.ts'
import { TARGETS, type Target, targetInWords, textsOf } from './targets.ts'

/** A segment, channel or geofence of a target; without an address when it is gone. */
interface Named {
  kind: string
  name: string
  path?: string
}

const LIMIT = 1000

/** Reads the names of what a target refers to. */
async function namesOf(appId: number, target: Target, signal: AbortSignal): Promise<Named[]> {
  const base = `/apps/${appId}`
  const path = { appId }
  const page = (after: string | undefined) => ({ path, query: { limit: LIMIT, after }, signal })
  const segment = textsOf(target['segmentUuid'])
  const channels = textsOf(target['channelUuids'])
  const fences = textsOf(target['geofenceIds'])
  const named = (kind: string, id: string, found: { name: string | null; path: string } | undefined): Named =>
    found ? { kind, name: found.name ?? id, path: found.path } : { kind, name: `${id}, which is gone` }
  const [ofSegments, ofChannels, ofFences] = await Promise.all([
    segment.length === 0
      ? []
      : readWhole(async (after) => {
          const { segments: items, next } = await api.get('/admin/v1/apps/{appId}/segments', page(after))
          return { items, next }
        }),
    channels.length === 0
      ? []
      : readWhole(async (after) => {
          const { channels: items, next } = await api.get('/admin/v1/apps/{appId}/channels', page(after))
          return { items, next }
        }),
    Promise.all(
      fences.map((id) =>
        api
          .get('/admin/v1/apps/{appId}/geofences/{id}', { path: { appId, id: Number(id) }, signal })
          .catch(() => undefined),
      ),
    ),
  ])
  const oneOf = (items: readonly { id: number; uuid: string; name: string | null }[], uuid: string, folder: string) => {
    const found = items.find((one) => one.uuid === uuid)
    return found && { name: found.name, path: `${base}/${folder}/${found.id}` }
  }
  return [
    ...segment.map((uuid) => named(TARGETS.segment, uuid, oneOf(ofSegments, uuid, 'segments'))),
    ...channels.map((uuid) => named('Channel', uuid, oneOf(ofChannels, uuid, 'channels'))),
    ...fences.map((id, i) => {
      const found = ofFences[i]
      return named('Geofence', id, found && { name: found.name, path: `${base}/geofences/${found.id}` })
    }),
  ]
}

interface TargetProps {
  appId: number
  target: Target
  /** Number of devices or people, and the word for them. */
  count?: readonly [number: number, words: string]
  /** Names without links, where people should not be led away. */
  isPlain?: boolean
}

/** The recipients of a send in words: "Segment *Gold card*, 151 devices". Names lead to their pages. */
export function TargetWords({ appId, target, count, isPlain = false }: TargetProps) {
  const names = useLoad((signal) => namesOf(appId, target, signal), [appId, JSON.stringify(target)])
  const rest = targetInWords(target, { isNamed: true })
  const said: ComponentChildren[] = (names.value.value ?? []).map(({ kind, name, path }) => (
    <>
      {kind} {path === undefined || isPlain ? <em>{name}</em> : <a href={href(path)}>{name}</a>}
    </>
  ))
  // Until names are here, and where they cannot be read, how many there are.
  if (names.value.value === undefined) said.push(targetInWords(target))
  else if (rest !== '') said.push(rest)
  if (count) said.push(`${formatNumber(count[0])} ${count[1]}`)
  return (
    <span>
      {said.map((one, i) => (
        <Fragment key={i}>
          {i > 0 && ', '}
          {one}
        </Fragment>
      ))}
    </span>
  )
}
