import { Flags } from '@oclif/core'
import { parseDuration } from './duration.ts'

/** Flags for the fields of a webhook, in commands that create or change it. */
export const webhookFlags = {
  types: Flags.string({ helpValue: 'LIST', description: 'types of events, separated by commas; all: every type' }),
  include: Flags.string({
    options: ['deliveries', 'none'],
    description: 'what is sent besides events: deliveries are the pages of notifications as they close',
  }),
  'batch-max': Flags.integer({
    min: 1,
    max: 500,
    helpValue: 'N',
    description: 'maximum number of events in one request; above 1, every message is a batch',
  }),
  'batch-wait': Flags.string({
    helpValue: 'TIME',
    description: 'how long a batch that is not full waits for more events, for example 2s',
  }),
}

interface Given {
  types?: string | undefined
  include?: string | undefined
  'batch-max'?: number | undefined
  'batch-wait'?: string | undefined
}

/** The flags as fields of the API. Throws `usage` for a wrong duration. */
export function webhookFields({ types, include, 'batch-max': max, 'batch-wait': wait }: Given) {
  const batch = {
    ...(max !== undefined && { max }),
    ...(wait !== undefined && { waitMs: parseDuration(wait, '--batch-wait') }),
  }
  return {
    ...(types !== undefined && { types: types === 'all' ? null : types.split(',').map((one) => one.trim()) }),
    ...(include !== undefined && { include: include === 'none' ? null : [include] }),
    ...(Object.keys(batch).length > 0 && { batch }),
  }
}
