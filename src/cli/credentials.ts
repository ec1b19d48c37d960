import { Flags, type Interfaces } from '@oclif/core'
import type { Block, CredentialFlag, GivenFlags } from '../domain/gateways/gateway.ts'
import { findGateway, gateways, type Platform, platforms } from '../domain/gateways/registry.ts'
import { AppError } from '../platform/errors.ts'
import { textArg } from './input/args.ts'
import { readInput, readSecret } from './input/files.ts'
import type { Io } from './process/io.ts'

/** The argument that names a gateway. */
export const platformArg = (description: string, required: boolean) =>
  textArg({ options: [...platforms], description, required })

/** The flags of `gateways set`, as the gateways declare them. One that several vendors share names them all. */
export function credentialFlags(): Interfaces.FlagInput {
  return Object.fromEntries(
    [...declaredFlags()].map(([name, users]) => {
      const helpGroup = users.map(({ platform }) => platform.toUpperCase()).join(', ')
      const description = describeFlag(users)
      const { value, negatable } = users[0]!.flag
      return [
        name,
        value === undefined
          ? Flags.boolean({ helpGroup, description, ...(negatable && { allowNo: true }) })
          : Flags.string({ helpGroup, helpValue: value, description }),
      ]
    }),
  )
}

/** What follows `gateways set --app APP`, for the examples in the help. */
export const credentialExamples = (): string[] =>
  platforms.flatMap((platform) => gateways[platform].commandLine.examples.map((example) => `${platform} ${example}`))

interface FlagUse {
  platform: Platform
  flag: CredentialFlag
}

function declaredFlags(): Map<string, FlagUse[]> {
  const uses = platforms.flatMap((platform) =>
    Object.entries(gateways[platform].commandLine.flags).map(([name, flag]) => ({ name, platform, flag })),
  )
  return Map.groupBy(uses, ({ name }) => name)
}

/** Vendors that mean different things by a flag each say what. */
function describeFlag(users: readonly FlagUse[]): string {
  const texts = new Set(users.map(({ flag }) => flag.description))
  if (texts.size === 1) return [...texts][0]!
  return users.map(({ platform, flag }) => `${flag.description} (${platform})`).join('; ')
}

/**
 * Flags and the files they name -> one block of the gateway configuration (`PUT {push_url}/v1/apps/{appId}`, and what
 * we accept in addition). Throws `usage` for flags that do not belong together; the gateway checks the contents.
 */
export async function readBlock(io: Io, platform: Platform, flags: GivenFlags): Promise<Block> {
  const { commandLine } = findGateway(platform)
  const given = [...declaredFlags().keys()].filter((name) => flags[name] !== undefined)
  const foreign = given.filter((name) => !Object.hasOwn(commandLine.flags, name))
  if (foreign.length > 0) throw new AppError('usage', `--${foreign.join(', --')} cannot be used with ${platform}`)
  const streams = given.filter((name) => flags[name] === '-')
  if (streams.length > 1)
    throw new AppError('usage', `only one of --${streams.join(', --')} can be read from standard input`)
  const block = await commandLine.readFlags(flags, {
    bytes: (file, flag) => readInput(io, file, flag),
    secret: (file, flag) => readSecret(io, file, flag),
  })
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== undefined))
}
