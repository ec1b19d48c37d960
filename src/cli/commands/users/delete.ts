import { eraseCommand } from '../../kinds/erasing.ts'

export const UsersDelete = eraseCommand('user', {
  summary: 'Erase a user with everything that is stored about them',
  description:
    'Attributes, installs with push tokens, events, positions, messages, check-ins and crash reports are deleted, and the identifier is ' +
    'removed from stored sends and answers. Counts stay. A running server does the work; --wait does it here. Backups are not changed: ' +
    'docs/personal-data.md.',
  examples: ['appsvc users delete anna@example.com', 'appsvc users delete anna@example.com --yes --wait'],
})
