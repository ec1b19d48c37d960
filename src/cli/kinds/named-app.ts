import type { Interfaces } from '@oclif/core'
import { AppError } from '../../platform/errors.ts'
import { appFlag, subjectAppArg } from '../input/args.ts'

type Args = Interfaces.ArgInput
type Flags = Interfaces.FlagInput

/** A command's declarations about its app. */
export interface AppDeclaration {
  args?: Args | undefined
  flags?: Flags | undefined
  /** True for the commands that are about the app itself (`apps show`): their help shows it as an argument. */
  subject?: boolean | undefined
  /**
   * Tells whether the first of these words is the app, where the words could be read either way: an optional argument follows. By
   * default it is, unless it is a choice of the argument whose place it has. Behind an argument that takes several words their
   * number tells nothing, so such a command has to say. `isApp` tells whether the first word is an app that somebody on another
   * machine sees; undefined on this machine.
   */
  appLeads?:
    | ((words: readonly string[], flags: Record<string, unknown>, isApp: boolean | undefined) => boolean)
    | undefined
}

/**
 * A command's arguments and flags as help, completion and usage errors show them: the app is `--app`, at the same place in
 * every command (docs/decisions/0050-one-way-to-name-the-app.md).
 */
export function shownInput({ args = {}, flags = {}, subject }: AppDeclaration): { args: Args; flags: Flags } {
  const others = withoutApp(args)
  return {
    args: subject && args.app ? { app: args.app, ...others } : others,
    flags: { app: appFlag, ...flags },
  }
}

/**
 * Decides whether the first word of a command line names the app. `words` are its arguments, `flags` its parsed flags.
 * Returns the app as it was named, and the arguments to parse the words with. Throws `usage` if it is named twice.
 */
export function readNamedApp(
  { args = {}, subject, appLeads = isNoChoiceOf(args) }: AppDeclaration,
  words: readonly string[],
  flags: Record<string, unknown>,
  isApp?: boolean,
): { ref: string | undefined; args: Args } {
  const others = withoutApp(args)
  const list = Object.values(others)
  const needed = list.filter((arg) => arg.required).length
  const most = list.at(-1)?.multiple ? Number.POSITIVE_INFINITY : list.length
  const flag = flags.app as string | undefined
  if (flag !== undefined) {
    if (words.length === most + 1)
      throw new AppError('usage', `the app is named twice: as ${JSON.stringify(words[0])} and with --app`)
    return { ref: flag, args: others }
  }
  const leads =
    (subject && (words.length > 0 || args.app?.required)) ||
    words.length === most + 1 ||
    (args.app !== undefined && words.length > needed && words.length <= most && appLeads(words, flags, isApp))
  if (!leads) return { ref: undefined, args: others }
  return { ref: words[0], args: { app: subjectAppArg, ...others } }
}

function withoutApp(args: Args): Args {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== 'app'))
}

/** Tests that the first word is no choice of the argument: `gateways show android` names a gateway and no app. */
function isNoChoiceOf(args: Args) {
  const others = Object.values(withoutApp(args))
  return (words: readonly string[]) => !others[0]?.options?.includes(words[0]!)
}
