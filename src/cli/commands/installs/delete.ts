import { eraseCommand } from '../../kinds/erasing.ts'

export const InstallsDelete = eraseCommand('install', {
  summary: 'Delete an install with its push token and everything that it reported',
  description:
    'Its anonymous user goes too, its known user stays. An app that is still used makes a new install. A running server does the work; ' +
    '--wait does it here.',
  examples: ['appsvc installs delete 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10 --yes'],
})
