import { Flags, type Interfaces } from '@oclif/core'
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

/** The given fields of a channel, unchecked. */
export async function channelFields(
  io: Io,
  flags: Interfaces.InferredFlags<typeof channelFlags>,
): Promise<Record<string, unknown>> {
  const file = flags['meta-file']
  return {
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags['show-in-portal'] !== undefined && { showInPortal: flags['show-in-portal'] }),
    ...(file !== undefined && { meta: await readJsonFile(io, file, '--meta-file') }),
  }
}
