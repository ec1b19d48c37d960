import { Flags } from '@oclif/core'

/** A flag for the reason why somebody is put on the suppression list. */
export const reasonFlag = Flags.string({
  helpValue: 'TEXT',
  description: 'why, in your own words: shown with the entry',
})
