import type { Words } from './types.ts'

/** Commands of the command line that run in the server. */
export const COMMANDS: Words = {
  operations: {
    'post /v1/commands': {
      description:
        'For the program `appsvc` with `--url`; the form is its own and changes with its versions. The file of the form is a line of JSON ' +
        '(words of the command line, terminal, files, answers) and the bytes of the files behind it. The answer is NDJSON: what the ' +
        'command prints, line by line, and at the end its exit code or what it wants of the caller. Each command asks for a right of its ' +
        'own (docs/remote.md).',
    },
  },
  schemas: {
    CommandEvent: ['What a running command says; each line has one of the members.'],
  },
  fields: {
    'CommandEvent.hello': ['The first line.', { version: '1.4.0' }],
    'CommandEvent.out': ['Text for standard output.', 'news\n'],
    'CommandEvent.err': ['Text for standard error.', 'appsvc: there is no channel news\n'],
    'CommandEvent.outBytes': ['Bytes for standard output, in base64.', 'iVBORw0KGgo='],
    'CommandEvent.alive': ['Nothing has happened for a while.', true],
    'CommandEvent.answered': ['The answer with this number was used.', 0],
    'CommandEvent.open': ['A file of the caller is opened; its first `kept` bytes stay.', { output: 'a.csv', kept: 0 }],
    'CommandEvent.put': [
      'Bytes in base64 for a position of a file of the caller.',
      { output: 'a.csv', position: 0, bytes: 'aWQ=' },
    ],
    'CommandEvent.close': ['A file of the caller is whole.', { output: 'a.csv' }],
    'CommandEvent.want': ['What the caller adds before it sends the command again.', { file: 'a.json' }],
    'CommandEvent.exit': ['The exit code, in the last line.', 0],
  },
}
