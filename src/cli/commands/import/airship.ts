import { importCommand } from '../../import/command.ts'

export const ImportAirship = importCommand('airship', {
  summary: 'Import the channels and named users of Airship',
  description:
    'Reads the pages of GET /api/channels and GET /api/named_users: installs with their tokens, named users, tags as channels.',
  examples: ['appsvc import airship 1 channels.json named-users.json --create-channels'],
})
