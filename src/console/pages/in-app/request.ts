import type { Body } from '../../api/client.ts'

type Request = Body<'/admin/v1/apps/{appId}/in-app-messages', 'post'>
export type WhoKind = 'everybody' | 'segment' | 'channels' | 'people'

/** What the form of a message holds. */
export interface Fields {
  who: WhoKind | ''
  segment: string
  channels: readonly string[]
  userIds: string
  template: string
  values: Readonly<Record<string, string>>
  presentedWhen: Request['presentedWhen']
  days: number | null
  sendAt: string | null
  isTransactional: boolean
  inboxTitle: string
  inboxSubtitle: string
}

export const NOTHING: Fields = {
  who: '',
  segment: '',
  channels: [],
  userIds: '',
  template: '',
  values: {},
  presentedWhen: 'immediately',
  days: 7,
  sendAt: null,
  isTransactional: false,
  inboxTitle: '',
  inboxSubtitle: '',
}

const idsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((id) => id !== '')

function targetOf({ who, segment, channels, userIds }: Fields): Request['target'] {
  if (who === 'segment') return { segmentUuid: segment }
  if (who === 'channels') return { channelUuids: [...channels] }
  if (who === 'people') return { userIds: idsOf(userIds) }
  return who === 'everybody' ? { broadcast: true } : {}
}

/** The request that the form makes. Tags without a value are left out: their default stands. */
export function requestOf(fields: Fields): Request {
  const content = Object.fromEntries(Object.entries(fields.values).filter(([, value]) => value !== ''))
  return {
    target: targetOf(fields),
    template: fields.template,
    content,
    presentedWhen: fields.presentedWhen,
    ...(fields.presentedWhen !== 'never' && { ttl: { expiresIn: fields.days ?? 0, units: 'd' as const } }),
    ...(fields.sendAt !== null && {
      schedule: { sendAt: fields.sendAt, strategy: 'utc' as const, pastTimes: 'ignore' as const },
    }),
    ...(fields.inboxTitle !== '' && { inbox: { title: fields.inboxTitle, subtitle: fields.inboxSubtitle } }),
    ...(fields.isTransactional && { priority: 'transactional' as const }),
  }
}

/** Whether somebody is chosen, so that they can be counted. */
export const isAimed = (fields: Fields): boolean => fields.who !== '' && !('target' in problemsOf(fields))

/** What is missing before anything is sent. */
export function problemsOf(fields: Fields): Partial<Record<string, string>> {
  return {
    ...(fields.who === '' && { target: 'Choose who gets it.' }),
    ...(fields.who === 'segment' && fields.segment === '' && { target: 'Choose the segment.' }),
    ...(fields.who === 'channels' && fields.channels.length === 0 && { target: 'Choose at least one channel.' }),
    ...(fields.who === 'people' && idsOf(fields.userIds).length === 0 && { target: 'Write at least one user id.' }),
    ...(fields.template === '' && { template: 'Choose a template.' }),
    ...(fields.presentedWhen !== 'never' && fields.days === null && { days: 'Say for how many days it stays.' }),
  }
}

/** What the button says: "Send to everybody". */
export function sendLabel({ who, userIds, sendAt, channels }: Fields): string {
  const verb = sendAt === null ? 'Send' : 'Schedule'
  if (who === 'everybody') return `${verb} to everybody`
  if (who === 'segment') return `${verb} to the segment`
  if (who === 'channels') return `${verb} to ${channels.length === 1 ? 'the channel' : `${channels.length} channels`}`
  const count = idsOf(userIds).length
  return who === 'people' && count > 0
    ? `${verb} to ${count === 1 ? 'one person' : `${count} people`}`
    : `${verb} the message`
}
