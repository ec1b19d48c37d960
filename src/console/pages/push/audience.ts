import type { Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf, type Values, type ValuesOf } from '../../forms/table.ts'
import { TARGETS } from '../../parts/targets.ts'

/** The audience of a push or an in-app message: the rows of its form, and the target that they make. */

type Target = Body<'/admin/v1/apps/{appId}/notifications', 'post'>['target']
const rows = row.table<{ target: Target }>()
const isOneOf = (who: string) => (values: Values) => values['who'] === who

const MATCHING = [
  'target.segmentUuid',
  'target.channelUuids',
  'target.geofenceIds',
  'target.geofenceTags',
  'target.geofenceBroadcast',
] as const

/** A choice of what the app has; the page knows what that is. */
const offered = { isOptional: true, from: (stored: unknown) => (stored as readonly unknown[] | null)?.map(String) }

/** Rows for a target that is described: a segment, channels and geofences. Their options are read from the app. */
export const MATCH = rows(
  row.where(
    isOneOf('matching'),
    row.select('target.segmentUuid', 'Segment', {
      isOptional: true,
      check: (_, draft) => (isNobody(draft) ? 'Choose a segment, a channel or a geofence.' : undefined),
    }),
    row.many('target.channelUuids', 'Subscribed to any of these channels', offered),
    row.many('target.geofenceIds', 'Inside any of these geofences when it is sent', {
      ...offered,
      to: (ids) => ids.map(Number),
    }),
    row.many('target.geofenceTags', 'Inside any geofence with one of these tags', offered),
    row.tick('target.geofenceBroadcast', 'Inside any geofence at all', { empty: 'absent' }),
  ),
)

/** Row that chooses a kind of recipients, of whom `everybody` says who all are. None is chosen at first. */
export const whoRows = (everybody: string) =>
  rows(
    row.radio('who', 'Who gets it', {
      path: 'target.broadcast',
      also: ['target'],
      look: 'cards',
      options: [
        { value: 'everybody', label: 'Everybody', about: everybody },
        { value: 'matching', label: 'People who match', about: 'A segment, channels or geofences' },
        { value: 'named', label: TARGETS.named, about: 'User ids or install ids' },
      ],
      need: 'Choose who gets it.',
      to: (who) => who === 'everybody' || undefined,
      from: whoOf,
    }),
  )
export const NAMED = rows(
  row.where(
    isOneOf('named'),
    row.halves(
      row.lines('target.userIds', 'User ids', {
        hint: 'One a line.',
        rows: 4,
        empty: 'absent',
        check: (_, draft) => (isNobody(draft) ? 'Name at least one user or install.' : undefined),
      }),
      row.lines('target.installIds', 'Install ids', { hint: 'One a line.', rows: 4, empty: 'absent' }),
    ),
  ),
  row.where(
    ({ who }) => who !== '',
    row.more('Leave devices out', [
      row.lines('target.excludeInstallIds', 'Install ids that get nothing', { hint: 'One a line.', empty: 'absent' }),
    ]),
  ),
)

const TARGET = [...whoRows(''), ...MATCH, ...NAMED] as const
export type AudienceDraft = ValuesOf<typeof TARGET>

/**
 * Reads the kind of target. A target of several groups, which the push host accepts from servers, is not offered here: people
 * choose again.
 */
function whoOf(_: unknown, { target = {} }: Values): string {
  const given = target as NonNullable<Target>
  if (given.broadcast) return 'everybody'
  const isNamed = (given.userIds ?? given.installIds) != null
  const isMatching = MATCHING.some((at) => given[at.slice('target.'.length) as keyof typeof given] != null)
  return isNamed === isMatching ? '' : isNamed ? 'named' : 'matching'
}

/** Target of the send; undefined while nobody is chosen. */
export function targetOf(draft: Values): Target | undefined {
  const { target = {} } = bodyOf<{ target?: Target }>(TARGET, draft)
  return Object.keys(target).some((name) => name !== 'excludeInstallIds') ? target : undefined
}
const isNobody = (draft: Values): boolean => targetOf(draft) === undefined
