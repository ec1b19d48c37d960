import { textArg } from '../kinds/base.ts'

/** The arguments of commands about one banner. */
export const bannerArgs = {
  app: textArg({ required: true, description: 'id or name of the app' }),
  uuid: textArg({ required: true, description: 'uuid of the banner' }),
}
