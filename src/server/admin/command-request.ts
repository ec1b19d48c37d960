import {
  closedShape,
  flag,
  type Infer,
  integer,
  list,
  oneOf,
  parseJson,
  shape,
  text,
} from '../../platform/values/parse.ts'

/** Media type of the one file of the form: a line of JSON (`CommandRequest`), and behind it the bytes of the files. */
export const COMMAND_TYPE = 'application/vnd.appsvc.command'

/** Maximum size of the line (bytes), and of all files of a command together. */
export const MAX_HEAD = 1024 * 1024
export const MAX_FILES_SIZE = 1024 * 1024 * 1024
/** Maximum number of files, and of answers. */
const MOST = 100
const MAX_WORDS = 2000

/** What the system of the caller said about a file. */
const FILE_ERRORS = ['ENOENT', 'EISDIR', 'EACCES', 'EPERM', 'EIO'] as const
export type FileError = (typeof FILE_ERRORS)[number]

const name = () => text({ max: 4096 }).required()
/** Words and answers may be empty: `--name ''` says something, and so does Enter. */
const words = (max: number, most: number) => list(text({ max, empty: true }).defined(), { max: most }).required()

const request = closedShape({
  /** Of the caller's program. */
  version: text({ max: 64 }).required(),
  /** The command line behind `appsvc`. */
  words: words(65_536, MAX_WORDS),
  /** Which streams of the caller are a terminal, and how wide it is. */
  terminal: shape({
    stdin: flag().required(),
    stdout: flag().required(),
    stderr: flag().required(),
    columns: integer({ min: 1, max: 10_000 }),
  }).required(),
  /** Environment variables that change the output. */
  variables: shape({
    NO_COLOR: text({ max: 255, empty: true }),
    TERM: text({ max: 255, empty: true }),
    npm_command: text({ max: 255, empty: true }),
  }).required(),
  /** Files that the command reads, as the command line names them: the sizes of their bytes, or why there are none. */
  files: list(
    shape({
      name: name(),
      size: integer({ min: 0, max: MAX_FILES_SIZE }),
      error: oneOf(FILE_ERRORS),
    }).required(),
    { max: MOST },
  ).required(),
  /** Files that it writes, and that the caller has opened or could not open. */
  outputs: list(shape({ name: name(), error: oneOf(FILE_ERRORS) }).required(), { max: MOST }).required(),
  /** Answers to the questions of the command, in their order. */
  answers: words(1024, MOST),
}).required()

export type CommandRequest = Infer<typeof request>

/** Throws `invalid`. */
export function readCommandRequest(value: unknown): CommandRequest {
  return parseJson(request, value)
}

/** What the server says while a command runs, one JSON value a line. `out` and `err` are text; bytes are in base64. */
export type CommandEvent =
  | { hello: { version: string } }
  | { out: string }
  | { err: string }
  | { outBytes: string }
  /** Nothing happened for a while. */
  | { alive: true }
  /** The answer with this number was used: what was printed before it was printed by an earlier run. */
  | { answered: number }
  | { open: { output: string; kept: number } }
  | { put: { output: string; position: number; bytes: string } }
  | { close: { output: string } }
  | { want: { file: string } | { output: string; mode: number } | { answer: string } }
  | { exit: number }
