import { importCommand } from '../../import/command.ts'

export const ImportPinpoint = importCommand('pinpoint', {
  summary: 'Import the endpoints of Amazon Pinpoint',
  description:
    'Reads the files of an export job, packed or not: endpoints of APNS, APNS_SANDBOX and GCM with their tokens, user ids, attributes and opt-outs.',
  examples: ['appsvc import pinpoint 1 export/*.gz --dry-run'],
})
