import type { Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'

export type NewChannel = Body<'/admin/v1/apps/{appId}/channels', 'post'>

/** A channel, with the flags of `channels create` and `channels update`. */
export const CHANNEL = row.table<NewChannel>()(
  row.text('name', 'Name', {
    isOptional: true,
    empty: 'null',
    flag: 'name',
    off: '--no-name',
    hint: 'With a name, everybody sees the channel in the app. Without one, only its subscribers do.',
    check: (name, { showInPortal }) =>
      showInPortal && name.trim() === '' ? 'A channel that is offered needs a name.' : undefined,
  }),
  row.text('uuid', 'Identifier', {
    isMono: true,
    sample: 'news',
    need: 'Give it an identifier, such as news.',
    hint: 'The app and your servers call the channel by it. Programs that use an old one stop working when it changes.',
  }),
  row.toggle('showInPortal', 'Offer it when composing a push', {
    first: true,
    flag: 'show-in-portal',
    hint: 'People of your team can then choose it as the target of a push. It needs a name.',
  }),
  row.json('meta', 'Data for the app', {
    first: undefined,
    isOptional: true,
    empty: 'null',
    flag: 'meta-file',
    off: '--no-meta',
    say: () => 'meta.json',
    rows: 3,
    hint: 'Any JSON object, which the app gets with the channel: a picture, a description, an order.',
  }),
)
