import { Flags, type Interfaces } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { linkArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { parseJsonFlag, readJsonFile } from '../../input/files.ts'
import { inFlagNames } from '../../input/flag-names.ts'
import { chooseLink, limitsOf, linkFlagNames } from '../../input/link.ts'
import { appCommand } from '../../kinds/app-command.ts'

/** The flags that change one link. */
const changeFlags = {
  fallback: Flags.string({ helpValue: 'URL', description: 'where people without the app are sent' }),
  desktop: Flags.string({ helpValue: 'URL', description: 'where they are sent on a computer' }),
  mobile: Flags.string({ helpValue: 'URL', description: 'where they are sent on a phone' }),
  data: Flags.string({ helpValue: 'JSON', description: 'linkData, the data the app receives' }),
  title: Flags.string({ helpValue: 'TEXT', description: 'title of the jump page; with --description replaces both' }),
  description: Flags.string({ helpValue: 'TEXT', description: 'text of the jump page; with --title replaces both' }),
  picture: Flags.string({ helpValue: 'URL', description: 'picture that chats show of the link' }),
  'no-picture': Flags.boolean({ exclusive: ['picture'], description: 'chats show the icon of the app' }),
  meta: Flags.string({ helpValue: 'JSON', description: 'reportingMeta, included in the events about the link' }),
  'no-meta': Flags.boolean({ exclusive: ['meta'], description: 'remove reportingMeta' }),
  expires: Flags.string({ helpValue: 'TIME', description: 'ISO 8601 time; UTC unless it has an offset' }),
  'no-expires': Flags.boolean({ exclusive: ['expires'], description: 'the link never expires' }),
  lookups: Flags.integer({ helpValue: 'N', description: 'maximum number of app opens, counting those so far' }),
  'no-lookups': Flags.boolean({ exclusive: ['lookups'], description: 'any number of app opens' }),
  disable: Flags.boolean({ description: 'switch the link off: it answers as if it did not exist' }),
  enable: Flags.boolean({ exclusive: ['disable'], description: 'switch it on again' }),
}

export const LinksUpdate = appCommand({
  summary: 'Change a deep link; anything not given is kept',
  description:
    'Its slug stays, because the address may be printed. The file contains the body of PATCH {links_url}/v1/deep-links/{id}.',
  examples: [
    'appsvc links update --app 1 offer --lookups 500 --no-expires',
    'appsvc links update --app 1 offer --disable',
    `appsvc links update --app 1 7 --data '{"screen": "offer"}'`,
  ],
  args: linkArgs,
  flags: {
    file: Flags.string({
      helpValue: 'FILE',
      description: 'JSON file, or - for standard input; replaces the other flags',
      exclusive: Object.keys(changeFlags),
    }),
    ...changeFlags,
  },
  async read({ flags, io }) {
    const { changeLink, fromLinkChange } = await import('../../../domain/links/make/schema.ts')
    if (flags.file !== undefined)
      return fromLinkChange(await checked(changeLink, await readJsonFile(io, flags.file, '--file')))
    const given = await fromFlags(flags)
    return inFlagNames(linkFlagNames(flags), async () => fromLinkChange(await checked(changeLink, given)))
  },
  async work({ program, appId, args, input: change, out }) {
    const { presentLink } = await import('../../../present/api/links.ts')
    const place = await program.links.place(appId)
    const { id } = await chooseLink(program, place, args.link)
    const link = await program.inTransaction((tx) => tx.links.update(appId, id, change))
    const shown = presentLink(link, program.links.urlOf(place, link.slug), program.kernel.clock.now())
    out.value(shown)
    out.fields({
      id: link.id,
      link: shown.url,
      state: shown.state,
      ...limitsOf(link),
    })
  },
})

async function fromFlags(flags: Interfaces.InferredFlags<typeof changeFlags>): Promise<Record<string, unknown>> {
  const { fallback, title, description, lookups } = flags
  const desktop = flags.desktop ?? fallback
  const mobile = flags.mobile ?? fallback
  const given = {
    ...(flags.data !== undefined && { linkData: await parseJsonFlag(flags.data, '--data') }),
    ...((title !== undefined || description !== undefined) && {
      content: { ...(title !== undefined && { title }), ...(description !== undefined && { description }) },
    }),
    ...(flags.picture !== undefined && { pictureUrl: flags.picture }),
    ...(flags['no-picture'] && { pictureUrl: null }),
    ...(desktop !== undefined && { desktopWebFallbackUrl: desktop }),
    ...(mobile !== undefined && { mobileWebFallbackUrl: mobile }),
    ...(flags.meta !== undefined && { reportingMeta: await parseJsonFlag(flags.meta, '--meta') }),
    ...(flags['no-meta'] && { reportingMeta: null }),
    ...(flags.expires !== undefined && { expiresAt: flags.expires }),
    ...(flags['no-expires'] && { expiresAt: null }),
    ...(lookups !== undefined && { lookupLimit: lookups }),
    ...(flags['no-lookups'] && { lookupLimit: null }),
    ...(flags.disable && { isEnabled: false }),
    ...(flags.enable && { isEnabled: true }),
  }
  if (Object.keys(given).length === 0)
    throw new AppError('usage', 'nothing to change: give a flag, for example --lookups 500')
  return given
}
