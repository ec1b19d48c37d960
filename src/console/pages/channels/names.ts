import { type Answer } from '../../api/client.ts'
import { formatNumber } from '../../parts/numbers.ts'

export type Channel = Answer<'/admin/v1/apps/{appId}/channels/{id}'>
export type Counts = Answer<'/admin/v1/apps/{appId}/channel-counts'>['items'][number]

/** A file of subscribers, and how far it is. */
export type Import = Answer<'/admin/v1/apps/{appId}/channels/{uuid}/imports'>['imports'][number]

/** The name that people gave a channel; its uuid when it has none. */
export const nameOf = ({ name, uuid }: Pick<Channel, 'name' | 'uuid'>): string => name ?? uuid

/** Tells whether the app lists a channel: one without a name, or made by a device, is private. */
export function visibilityOf({ name, madeByDevice }: Pick<Channel, 'name' | 'madeByDevice'>): 'public' | 'private' {
  return name === null || madeByDevice ? 'private' : 'public'
}

/** `1,240`, or `more than 50,000` when the time for counting was over. */
export const countText = (number: number, isWhole: boolean): string =>
  isWhole ? formatNumber(number) : `more than ${formatNumber(number)}`

export const hasMembers = ({ users, installs, optedOut, isWhole }: Counts): boolean =>
  !isWhole || users + installs + optedOut > 0
