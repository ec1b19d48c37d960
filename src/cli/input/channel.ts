import { Flags, type Interfaces } from '@oclif/core'
import type { Channel } from '../../domain/channels/types.ts'
import type { Io } from '../process/io.ts'
import { readJsonFile } from './files.ts'

/** The fields of a channel as flags. */
export const channelFlags = {
  name: Flags.string({
    helpValue: 'NAME',
    description: 'display name; a channel with a name is public, so apps can list it',
  }),
  'show-in-portal': Flags.boolean({
    allowNo: true,
    description: 'offer it as a target in the console; needs a name',
  }),
  'meta-file': Flags.string({
    helpValue: 'FILE',
    description: 'JSON object that apps get with the channel, or - for standard input',
  }),
}

/** Flags that take a field away. */
export const clearFlags = {
  'no-name': Flags.boolean({ exclusive: ['name'], description: 'remove the name, which makes the channel private' }),
  'no-meta': Flags.boolean({ exclusive: ['meta-file'], description: 'remove the metadata' }),
}

type Given = Interfaces.InferredFlags<typeof channelFlags> & Partial<Interfaces.InferredFlags<typeof clearFlags>>

/** The given fields of a channel, unchecked. */
export async function channelFields(io: Io, flags: Given): Promise<Record<string, unknown>> {
  const file = flags['meta-file']
  return {
    ...(flags['no-name'] && { name: null }),
    ...(flags['no-meta'] && { meta: null }),
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags['show-in-portal'] !== undefined && { showInPortal: flags['show-in-portal'] }),
    ...(file !== undefined && { meta: await readJsonFile(io, file, '--meta-file') }),
  }
}

/** The fields as `channels show` says them; the metadata have a line of their own. */
export const shownFields = (channel: Channel) => ({
  name: channel.name ?? 'none: private, visible to its subscribers only',
  'when composing': channel.showInPortal ? 'offered' : 'not offered',
})
