import { Args, Flags } from '@oclif/core'
import { ORDERS } from '../../domain/audience/sends.ts'

/** An argument. By default oclif reads a missing one from standard input, which belongs to the command's data. */
export const textArg = Args.custom({ ignoreStdin: true })

/**
 * The app a command works in, declared as its first argument. Every command takes `--app` as well, and the help shows
 * that one only (kinds/named-app.ts).
 */
export const appArg = textArg({ description: 'app id or name; optional if there is only one app' })

/** The same; kept apart from the time when commands that change something had to name the app. */
export const optionalAppArg = textArg({ description: 'app id or name; optional if there is only one app' })

/** The app where it is the thing that the command is about, and must be named. */
export const subjectAppArg = textArg({ required: true, description: 'app id or name' })

/** `--app` of commands whose arguments name something else, such as a notification. */
export const appFlag = Flags.string({
  char: 'a',
  helpValue: 'APP',
  description: 'app id or name; optional if there is only one app',
})

/** The way to give an app a name that another one has. */
export const ALLOW_DUPLICATE = 'add --allow-duplicate'
/** A flag of commands that give an app a time zone. */
export const timezoneFlag = Flags.string({
  helpValue: 'ZONE',
  description: 'IANA time zone in which people plan for the app, such as Europe/Berlin',
})
/** A flag of commands that give an app a name. */
export const allowDuplicateFlag = Flags.boolean({ description: 'accept a name that another app has' })

export const yesFlag = Flags.boolean({ char: 'y', description: 'skip the confirmation prompt' })

/** The JSON file that something is created or changed from. */
export const jsonFileFlag = Flags.string({
  required: true,
  helpValue: 'FILE',
  description: 'JSON file, or - for standard input',
})

export const bannerArgs = { app: appArg, uuid: textArg({ required: true, description: 'banner UUID' }) }
export const channelArgs = { app: appArg, uuid: textArg({ required: true, description: 'channel UUID' }) }
export const geofenceArgs = { app: appArg, id: textArg({ required: true, description: 'geofence id' }) }
export const linkArgs = { app: appArg, link: textArg({ required: true, description: 'link id, slug or URL' }) }
export const metricArgs = { app: appArg, metric: textArg({ required: true, description: 'name of the metric' }) }
export const promptArgs = { app: appArg, name: textArg({ required: true, description: 'prompt name' }) }
export const purposeArgs = { app: appArg, purpose: textArg({ required: true, description: 'uid of the purpose' }) }
export const segmentArgs = { app: appArg, segment: textArg({ required: true, description: 'segment id or UUID' }) }
export const suppressionArgs = {
  app: appArg,
  user: textArg({ required: true, description: 'user identifier; there need not be such a user' }),
}
export const tableArgs = { app: appArg, table: textArg({ required: true, description: 'table name or alias' }) }
export const webhookArgs = { app: appArg, webhook: textArg({ required: true, description: 'webhook id' }) }
export const pictureArgs = { app: appArg, uid: textArg({ required: true, description: 'picture uid' }) }
export const pushTemplateArgs = { app: appArg, uid: textArg({ required: true, description: 'push template uid' }) }
export const templateArgs = { app: appArg, uid: textArg({ required: true, description: 'template uid' }) }

/** The flag `--order` of lists of sends. */
export const orderFlag = Flags.string({
  options: ORDERS,
  default: 'created',
  description: 'by which time: due shows those that wait, the next first; sent those that went out, the latest first',
})
