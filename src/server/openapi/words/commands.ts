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
}
