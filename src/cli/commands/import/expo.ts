import { importCommand } from '../../import/command.ts'

export const ImportExpo = importCommand('expo', {
  summary: 'Import native device tokens of Expo apps',
  description:
    'Reads tables with the tokens of getDevicePushTokenAsync(). An ExponentPushToken works at Expo only and is refused.',
  examples: ['appsvc import expo 1 devices.jsonl --dry-run'],
})
