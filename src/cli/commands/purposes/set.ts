import { Flags } from '@oclif/core'
import { purposeArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const PurposesSet = appCommand({
  summary: 'Create a purpose, or replace what is stored of it; what users chose stays',
  description: 'A send that names a purpose skips users who do not allow it. See docs/consent.md.',
  examples: [
    'appsvc purposes set --app 1 news --name News --default allow',
    'appsvc purposes set --app 1 offers --name Offers --description "Once a week" --default refuse',
    'appsvc purposes set --app 1 service --name "Your account" --default allow --required',
  ],
  args: purposeArgs,
  flags: {
    name: Flags.string({ required: true, helpValue: 'NAME', description: 'what people read' }),
    description: Flags.string({ helpValue: 'TEXT', description: 'what it is about, for people' }),
    default: Flags.string({
      required: true,
      options: ['allow', 'refuse'],
      description: 'what counts for users who chose nothing',
    }),
    required: Flags.boolean({ description: 'nobody can refuse it' }),
  },
  async read({ flags }) {
    const { purposeForm } = await import('../../../domain/consent/schema.ts')
    const { name, description = null, required } = flags
    return checked(purposeForm, { name, description, default: flags.default === 'allow', required })
  },
  async work({ program, appId, args, input, out }) {
    const { presentPurpose } = await import('../../../present/api/consent.ts')
    const { name, description = null, default: isDefault, required = false } = input
    const fields = { name, description, default: isDefault, required }
    const { purpose, created } = await program.inTransaction((tx) => tx.purposes.put(appId, args.purpose, fields))
    out.value(presentPurpose(purpose))
    out.line(`Purpose ${printable(purpose.uid)} is ${created ? 'created' : 'replaced'}.`)
  },
})
