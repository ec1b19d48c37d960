import { importCommand } from '../../import/command.ts'

export const ImportParse = importCommand('parse', {
  summary: 'Import the installations and users of Parse',
  description:
    'Reads the classes _Installation and _User: output of mongoexport, answers of the REST API, or JSON lists.',
  examples: [
    'appsvc import parse 1 installations.jsonl users.jsonl --create-channels',
    'appsvc import parse 1 installations.jsonl --dry-run --json',
  ],
})
