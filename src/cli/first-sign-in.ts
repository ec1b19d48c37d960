import type { App } from '../app.ts'
import { oneTimeAddress } from '../domain/admins/addresses.ts'
import { LINK_MS } from '../domain/admins/service.ts'
import { AppError, messageOf } from '../platform/errors.ts'
import { auditCommand, readNewPassword } from './input/admin.ts'
import type { Io } from './io.ts'
import type { Output } from './output/output.ts'
import { addressOf } from './state/address.ts'

/**
 * While nobody can sign in: makes the first owner from the settings (for containers), or prints a one-time address, now and again
 * whenever it has expired unused. Throws `invalid` for a password that is too short, `config` for a file without an address.
 */
export async function announceFirstSignIn(
  app: App,
  { io, out, consoleAddress }: { io: Io; out: Pick<Output, 'line' | 'paint'>; consoleAddress?: string | undefined },
): Promise<{ stop(): void }> {
  const { config, log } = app.kernel
  let timer: NodeJS.Timeout | undefined

  async function announce(): Promise<void> {
    const link = await app.inTransaction(async (tx) => ((await tx.admins.any()) ? undefined : tx.admins.setupLink()))
    if (!link) return
    const base =
      consoleAddress === undefined
        ? addressOf({ baseUrl: config.baseUrl, host: config.host, port: app.kernel.port })
        : new URL(consoleAddress).origin
    out.line(`Nobody can sign in to the console yet. Open this address once, within 30 minutes:`)
    out.line(`  ${out.paint('cyan', oneTimeAddress(base, 'setup', link.token))}`)
    timer = setTimeout(() => {
      announce().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'no one-time address could be made'))
    }, LINK_MS)
    timer.unref()
  }

  const file = config['admin.passwordFile']
  const isNew = !(await app.admins.any())
  if (isNew && file !== '') {
    const email = config['admin.email']
    if (email === '') throw new AppError('config', 'admin.passwordFile needs admin.email: who the first owner is')
    const password = await readNewPassword(io, file, 'admin.passwordFile')
    await app.inTransaction(async (tx) => {
      const made = await tx.admins.first({ email, name: email, password })
      if (made) await auditCommand(tx, io, 'setup', { target: made.email })
    })
  } else if (isNew) await announce()
  return { stop: () => clearTimeout(timer) }
}
