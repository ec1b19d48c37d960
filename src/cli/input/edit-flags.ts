import { Flags } from '@oclif/core'
import type { Edit } from '../../domain/schedules/edit.ts'
import type { Io } from '../process/io.ts'
import { readSaying } from './saying.ts'

/** The flags of a command that edits a scheduled send. */
export const editFlags = {
  file: Flags.string({
    required: true,
    helpValue: 'FILE',
    description: 'JSON file with the keys to change, or - for standard input',
  }),
  confirm: Flags.integer({
    min: 0,
    helpValue: 'N',
    description: 'maximum number of recipients you expect, for apps that require it (see apps restrain)',
  }),
}

/** The edit that these flags give. Throws `not_found` or `bad_request`. */
export async function readEdit(
  io: Io,
  { file, confirm }: { file: string; confirm?: number | undefined },
): Promise<Edit> {
  return { ...(await readSaying(io, file, '--file')), ...(confirm !== undefined && { confirm }) }
}
