import { textArg } from '../kinds/base.ts'

/** The arguments of commands about one prompt. */
export const promptArgs = {
  app: textArg({ required: true, description: 'id or name of the app' }),
  name: textArg({ required: true, description: 'name of the prompt' }),
}
