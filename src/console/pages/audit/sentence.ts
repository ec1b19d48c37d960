import type { Answer } from '../../api/client.ts'
import { targetInWords } from '../../parts/targets.ts'

export type Entry = Answer<'/admin/v1/audit'>['items'][number]

/** Words of each action, behind the name of the person; `_` stands for what it was done to. */
const SAYS: Readonly<Record<string, string>> = {
  'admins.create': 'invited _',
  'admins.delete': 'removed the access of _',
  'admins.reset': 'created a new one-time link for _',
  'admins.roles': 'changed the roles of _',
  'approvals.approve': 'approved push request _',
  'approvals.create': 'asked for approval of push request _',
  'approvals.delete': 'declined push request _',
  'apps.create': 'created the app _',
  'apps.delete': 'deleted the app _',
  'apps.update': 'changed the settings of the app _',
  'backups.ask': 'asked for a backup',
  'backups.verify': 'had the backup _ verified',
  'banners.create': 'created the banner _',
  'banners.delete': 'deleted the banner _',
  'banners.update': 'changed the banner _',
  'channels.create': 'created the channel _',
  'channels.delete': 'deleted the channel _',
  'channels.imports.export': 'downloaded the unknown lines of import _',
  'channels.subscribers-file.create': 'imported a file into the channel _',
  'channels.subscriptions.create': 'subscribed users to the channel _',
  'channels.subscriptions.delete': 'unsubscribed users from the channel _',
  'channels.update': 'changed the channel _',
  'data.create': 'added a record to table _',
  'data.delete': 'deleted record _',
  'data.update': 'changed record _',
  'deep-links.create': 'created the link _',
  'deep-links.delete': 'deleted the link _',
  'deep-links.update': 'changed the link _',
  'events.settings.update': 'changed which events count',
  'gateways.delete': 'removed the gateway _',
  'gateways.rehearse': 'connected the sandbox',
  'gateways.update': 'set up the gateway _',
  'geofences.create': 'created the geofence _',
  'geofences.delete': 'deleted the geofence _',
  'geofences.import.create': 'imported geofences from a file',
  'geofences.update': 'changed the geofence _',
  'in-app-messages.create': 'sent the in-app message _',
  'in-app-messages.delete': 'withdrew the in-app message _',
  'in-app-messages.update': 'changed the scheduled in-app message _',
  'installs.delete': 'deleted install _',
  'keys.create': 'created the key _',
  'keys.delete': 'revoked the key _',
  'keys.rotate': 'replaced the _ key',
  'link-settings.update': 'changed the link settings',
  'me.passkeys.begin': 'began to add a passkey',
  'me.passkeys.create': 'added the passkey _',
  'me.passkeys.delete': 'removed the passkey _',
  'me.tokens.create': 'created the personal token _',
  'me.tokens.delete': 'deleted the personal token _',
  'me.totp.begin': 'began to turn the second step on',
  'me.totp.off': 'turned the second step off',
  'me.totp.on': 'turned the second step on',
  'me.update': 'changed their own name or password',
  'metrics.delete': 'deleted the metric _',
  'metrics.update': 'set the metric _',
  'notifications.create': 'sent _',
  'notifications.recipients.export': 'downloaded the recipients of notification _',
  'notifications.stop': 'cancelled notification _',
  'notifications.update': 'changed the scheduled notification _',
  'pictures.create': 'uploaded picture _',
  'pictures.delete': 'deleted picture _',
  'profiles.export': 'exported the list of users',
  'prompts.create': 'created the prompt _',
  'prompts.delete': 'deleted the prompt _',
  'prompts.update': 'changed the prompt _',
  'purposes.delete': 'deleted the purpose _',
  'purposes.update': 'set the purpose _',
  'push-templates.create': 'created the push template _',
  'push-templates.delete': 'deleted the push template _',
  'push-templates.update': 'changed the push template _',
  'push-tries.create': 'sent a try to see what a gateway answers, notification _',
  'restraint.update': 'changed the rules',
  'sandbox.phones.create': 'added the phone _ in the sandbox',
  'scheduled-notifications.delete': 'cancelled scheduled notification _',
  'second-person.update': 'changed whether a second person approves',
  'segments.create': 'created the segment _',
  'segments.delete': 'deleted the segment _',
  'segments.update': 'changed the segment _',
  'series.end.create': 'ended series _',
  'series.pause.create': 'paused series _',
  'series.resume.create': 'resumed series _',
  'series.update': 'changed series _',
  'sessions.confirm': 'confirmed who they are',
  'sessions.confirm.begin': 'began to confirm who they are',
  'sessions.create': 'signed in',
  'signed-users.update': 'changed how devices name users',
  'sessions.end': 'ended session _',
  'sessions.refuse': 'was refused at sign-in',
  setup: 'set this server up',
  'suppressions.create': 'put users on the suppression list',
  'suppressions.delete': 'took user _ off the suppression list',
  'suppressions.update': 'put user _ on the suppression list',
  'tables.create': 'created the table _',
  'tables.delete': 'deleted the table _',
  'tables.export': 'exported the table _',
  'tables.import': 'imported a file into the table _',
  'tables.update': 'changed the columns of table _',
  'templates.create': 'created the in-app template _',
  'templates.delete': 'deleted the in-app template _',
  'templates.update': 'changed the in-app template _',
  'test-devices.create': 'added the test device _',
  'test-devices.delete': 'removed test device _',
  'test-in-app-messages.create': 'sent a test in-app message',
  'test-pushes.create': 'sent a test push',
  'users.attributes.delete': 'deleted the attributes of user _',
  'users.attributes.update': 'changed the attributes of user _',
  'users.choices.update': 'changed a choice of user _',
  'users.delete': 'erased user _',
  'users.export': 'exported user _',
  'users.import': 'imported users from a file',
  'webhooks.create': 'created the webhook _',
  'webhooks.delete': 'deleted the webhook _',
  'webhooks.replay.create': 'sent the past once more to webhook _',
  'webhooks.replay.delete': 'stopped sending the past to webhook _',
  'webhooks.rotate.create': 'replaced the secret of webhook _',
  'webhooks.test': 'tested webhook _',
  'webhooks.update': 'changed the webhook _',
}

type Thing = Readonly<Record<string, unknown>>

/** An object, or the only one of a list: a call that creates links answers with a list. */
function thingOf(given: unknown): Thing | undefined {
  const one: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
  return typeof one === 'object' && one !== null ? (one as Thing) : undefined
}

/** Members by which people know a thing, the best one first. */
const NAMES = ['title', 'name', 'slug', 'url', 'uid', 'alias'] as const

function nameIn(thing: Thing | undefined): string | undefined {
  if (!thing) return undefined
  for (const name of NAMES) {
    const text = thing[name]
    if (typeof text === 'string' && text !== '') return text
  }
  return nameIn(thingOf(thing['notification'])) ?? nameIn(thingOf(thing['content']))
}

/** An action in words: what stands before the name of what it was done to, the name, and what stands behind it. */
export interface Sentence {
  before: string
  name: string
  after: string
}

/**
 * Words an action as it stands behind the name of a person: "sent", "Warm croissants", "to everybody". An action without words of its own,
 * such as one of a newer server, is told by its name.
 */
export function sentenceOf({
  action,
  target,
  before,
  after,
}: Pick<Entry, 'action' | 'target' | 'before' | 'after'>): Sentence {
  const says = SAYS[action] ?? `did ${action} to _`
  const [start = '', end = ''] = says.split('_')
  if (!says.includes('_')) return { before: start, name: '', after: '' }
  const name = nameIn(thingOf(after)) ?? nameIn(thingOf(before)) ?? target ?? ''
  const filters = thingOf(thingOf(thingOf(after)?.['notification'])?.['filters'])
  return { before: start.trim(), name, after: filters ? `to ${targetInWords(filters).toLowerCase()}` : end.trim() }
}

/** The sentence as one text, for a title and for the search. */
export const inOneText = ({ before, name, after }: Sentence): string =>
  [before, name, after].filter((one) => one !== '').join(' ')
