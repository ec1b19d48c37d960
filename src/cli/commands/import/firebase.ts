import { importCommand } from '../../import/command.ts'

export const ImportFirebase = importCommand('firebase', {
  summary: 'Import users of Firebase, your table of FCM tokens, or Dynamic Links',
  description:
    'Reads firebase auth:export (JSON or CSV), and tables of tokens that your app has stored, because FCM has no list of them.',
  examples: [
    'appsvc import firebase 1 users.json',
    'appsvc import firebase 1 tokens.csv --map push_id=token --map owner=user',
    'appsvc import firebase 1 example.page.link.csv --links',
  ],
})
