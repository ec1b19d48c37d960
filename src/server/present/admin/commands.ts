import { boolean, count, integer, object, optional, string } from '../schema.ts'

/** One line of the answer of a command: exactly one of the members (server/admin/command-request.ts). */
export const commandEvent = object(
  {
    hello: optional(object({ version: string })),
    out: optional(string),
    err: optional(string),
    outBytes: optional(string),
    alive: optional(boolean),
    answered: optional(count),
    open: optional(object({ output: string, kept: count })),
    put: optional(object({ output: string, position: count, bytes: string })),
    close: optional(object({ output: string })),
    want: optional(
      object({ file: optional(string), output: optional(string), mode: optional(integer), answer: optional(string) }),
    ),
    exit: optional(integer),
  },
  'CommandEvent',
)
