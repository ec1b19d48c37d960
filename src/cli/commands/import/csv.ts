import { importCommand } from '../../import/command.ts'

export const ImportCsv = importCommand('csv', {
  summary: 'Import installs and users from a table of your own',
  description: 'Reads CSV with a header, a JSON list or JSON lines; --map says what the columns are.',
  examples: [
    'appsvc import csv 1 devices.csv --map push_token=token --map os=platform --map customer=user --map city=attr:city',
  ],
})
