import { readReport, readReports, unfold } from '../../domain/crashes/upload.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../../domain/crm/schema.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { prefixOf } from '../limits/caller.ts'
import { chargeBytes, MEETING } from '../limits/caps.ts'
import { limiterOf } from '../limits/for-program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import { type Call, post, put, type Route } from '../routing/route.ts'
import { meetInstall } from './taking.ts'

const LIMITED = {
  413: 'The report is larger than limits.crashBody, or far larger than its packed form',
  415: 'The report is packed otherwise than with gzip',
  429: 'Too many reports',
}

const sharesOf = onePerProgram((program) => ({
  // An app that crashes on start may crash many times a minute.
  installs: limiterOf(program, {
    name: 'crashes by install',
    burst: 20,
    everyMs: 180_000,
    what: 'crash reports of this install',
    code: 'too_many',
  }),
  // These calls carry no keys, and many phones may share an address.
  addresses: limiterOf(program, {
    name: 'crashes by address',
    burst: 200,
    everyMs: 5000,
    what: 'crash reports from this address',
    code: 'too_many',
  }),
}))

/**
 * Crash reports of the libraries in the SDKs (docs/reference/device-protocol.md section 14, X1 to X3). Reports are
 * taken as they are.
 */
export const crashRoutes: Route[] = [
  post('/v1/track/:apiKey/acra/:installId', {
    area: 'events',
    summary: 'Send a crash report of an Android app, as ACRA writes it (JSON)',
    description: 'The body may be compressed with gzip. A report that is sent twice is stored once.',
    needs: 'device-key',
    device: true,
    raw: true,
    bodyLimit: 'limits.crashBody',
    transaction: false,
    status: 204,
    also: { ...MEETING, ...LIMITED },
    run: async (call) => {
      const { program, appId, params, bytes, header } = call
      const limit = program.kernel.config['limits.crashBody']
      await takeShare(call)
      const report = readReport(await unfold(bytes, header('content-encoding'), { limit, onUnpacked: charge(call) }))
      const known = await program.inTransaction(async (tx) => {
        // The keys are right, so an unknown install is created.
        await meetInstall({ ...call, tx: tx }, params.installId!)
        return tx.crashes.accept(appId, { installId: params.installId!, source: 'acra', reports: [report] })
      })
      if (known === 0) throw new AppError('too_large', `the report is larger than ${limit} bytes`)
    },
  }),
  post('/v1/track/:apiKey/kscrash/:installId', {
    area: 'events',
    summary: 'Send crash reports of an iOS app, as KSCrash writes them (a form with the file `reports`)',
    description:
      'Needs no credentials. The body may be compressed with gzip. Reports of unknown installs are discarded.',
    needs: 'path-key',
    device: true,
    raw: true,
    // Holds several reports, each as large as limits.crashBody.
    bodyLimit: 'limits.deviceBody',
    transaction: false,
    status: 204,
    also: { ...LIMITED, 413: 'The reports together are larger than limits.deviceBody' },
    run: async (call) => {
      const { program, appId, params, bytes, remote, header } = call
      const { addresses } = sharesOf(program)
      await addresses.ready(prefixOf(remote), program.kernel.clock.monotonic())
      addresses.take(prefixOf(remote), program.kernel.clock.monotonic())
      await takeShare(call)
      const limit = program.kernel.config['limits.deviceBody']
      const unfolded = await unfold(bytes, header('content-encoding'), { limit, onUnpacked: charge(call) })
      const reports = readReports(unfolded, header('content-type'))
      await program.inTransaction((tx) =>
        tx.crashes.accept(appId, { installId: params.installId!, source: 'kscrash', reports }),
      )
    },
  }),
  put('/dsyms', {
    area: 'events',
    summary: 'Accept debug symbols of an iOS build, and discard them',
    description: 'Kept for build scripts that upload them. Nothing is stored.',
    scope: 'read',
    needs: 'server-key',
    transaction: false,
    status: 204,
    run: async () => {},
  }),
]

/** Counts the bytes of an unpacked body as if they had been sent. */
const charge = (call: Pick<Call<unknown, unknown>, 'program' | 'remote' | 'appId'>) => (more: number) =>
  chargeBytes(call, more)

async function takeShare(call: Pick<Call<unknown, unknown>, 'program' | 'appId' | 'params'>): Promise<void> {
  const { program, appId, params } = call
  // Checked before the limiter stores it: a path can be much longer than an id.
  if (!isIdentifier(params.installId)) throw invalid({ installId: [IDENTIFIER_RULE] })
  const { installs } = sharesOf(program)
  const install = `${appId} ${params.installId}`
  await installs.ready(install, program.kernel.clock.monotonic())
  installs.take(install, program.kernel.clock.monotonic())
}
