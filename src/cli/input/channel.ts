import { Flags } from '@oclif/core'
import type { Io } from '../io.ts'
import { textArg } from '../kinds/base.ts'
import { readJsonFile } from './files.ts'

/** The arguments of commands about one channel. */
export const channelArgs = {
  app: textArg({ required: true, description: 'id or name of the app' }),
  uuid: textArg({ required: true, description: 'uuid of the channel' }),
}

/** What a channel is made of, as flags. */
export const channelFlags = {
  name: Flags.string({ helpValue: 'NAME', description: 'a channel with a name is public: apps see it in their lists' }),
  'show-in-portal': Flags.boolean({
    allowNo: true,
    description: 'offer it for targeting in the console; needs a name',
  }),
  'meta-file': Flags.string({
    helpValue: 'FILE',
    description: 'JSON object that apps get with the channel; - is standard input',
  }),
}

/** The fields of a channel from those flags, unchecked; only what was given. */
export async function channelFields(
  io: Io,
  flags: { name?: string | undefined; 'show-in-portal'?: boolean | undefined; 'meta-file'?: string | undefined },
): Promise<Record<string, unknown>> {
  const file = flags['meta-file']
  return {
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags['show-in-portal'] !== undefined && { showInPortal: flags['show-in-portal'] }),
    ...(file !== undefined && { meta: await readJsonFile(io, file, '--meta-file') }),
  }
}
