import { importCommand } from '../../import/command.ts'

export const ImportOnesignal = importCommand('onesignal', {
  summary: 'Import the subscriptions of OneSignal',
  description: 'Reads the CSV export: installs with their tokens, external ids as users, tags as attributes.',
  examples: [
    'appsvc import onesignal 1 players.csv.gz --dry-run',
    'appsvc import onesignal 1 players.csv.gz --tag-channel news --create-channels --vapid-file vapid.json --errors refused.csv',
  ],
})
