import { oneTimeAddress } from '../domain/admins/addresses.ts'
import type { LinkKind } from '../domain/admins/links.repository.ts'
import { LINK_MS } from '../domain/admins/service.ts'
import { AppError, messageOf } from '../platform/errors.ts'
import type { Areas, Program } from '../program.ts'
import { auditCommand, readNewPassword } from './input/admin.ts'
import type { Output } from './output/output.ts'
import type { Io } from './process/io.ts'

/** The owner of the server of a demo. There is no password: a one-time link signs them in. */
const DEMO_OWNER = { email: 'demo@example.com', name: 'Demo' } as const

/**
 * Makes the first owner while nobody can sign in: from the settings (for containers), or by a one-time link, which is printed
 * now and again whenever it has expired unused. With `isDemo` the address signs the owner of the demo in, on every start, unless
 * the server belongs to somebody else. Returns the address that works now, if there is one. Throws `invalid` for a password that
 * is too short, `config` for a file without an address.
 */
export async function announceFirstSignIn(
  program: Program,
  {
    io,
    out,
    consoleAddress,
    isDemo = false,
  }: { io: Io; out: Pick<Output, 'line' | 'paint'>; consoleAddress: string | undefined; isDemo?: boolean },
): Promise<{ address: string | undefined; stop(): void }> {
  const { config, log } = program.kernel
  let timer: NodeJS.Timeout | undefined

  async function announce(): Promise<string | undefined> {
    const link = await program.inTransaction((tx) => linkFor(tx, isDemo))
    if (!link || consoleAddress === undefined) return undefined
    const address = oneTimeAddress(new URL(consoleAddress).origin, link.kind, link.token)
    out.line(
      link.kind === 'demo'
        ? 'Open the console of the demo with this address, once, within 30 minutes. It signs you in:'
        : 'Nobody can sign in to the console yet. Open this address once, within 30 minutes:',
    )
    out.line(`  ${out.paint('cyan', address)}`)
    timer = setTimeout(() => {
      announceAgain().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'no one-time link could be made'))
    }, LINK_MS)
    timer.unref()
    return address
  }

  async function announceAgain(): Promise<void> {
    const owner = isDemo ? await program.admins.findByEmail(DEMO_OWNER.email) : undefined
    const isUsed = owner !== undefined && (await program.sessions.list(owner.id)).length > 0
    if (!isUsed) await announce()
  }

  const file = config['admin.passwordFile']
  let address: string | undefined
  if (file !== '' && !(await program.admins.any())) {
    const email = config['admin.email']
    if (email === '') throw new AppError('config', 'admin.passwordFile needs admin.email: who the first owner is')
    const password = await readNewPassword(io, file, 'admin.passwordFile')
    await program.inTransaction(async (tx) => {
      const made = await tx.admins.first({ email, name: email, password })
      if (made) await auditCommand(tx, io, 'setup', { target: made.email })
    })
  } else if (consoleAddress !== undefined) address = await announce()
  return { address, stop: () => clearTimeout(timer) }
}

async function linkFor(
  { admins }: Areas,
  isDemo: boolean,
): Promise<{ kind: LinkKind; token: string; expiresAt: number } | undefined> {
  const isTaken = await admins.any()
  if (!isDemo) return isTaken ? undefined : { kind: 'setup', ...(await admins.setupLink()) }
  const isOurs = !isTaken || (await admins.findByEmail(DEMO_OWNER.email)) !== undefined
  return isOurs ? { kind: 'demo', ...(await admins.signInLink(DEMO_OWNER)) } : undefined
}
