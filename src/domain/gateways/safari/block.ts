import { address, shape, text } from '../../../platform/parse.ts'
import { p12Fields } from '../apns/block.ts'

const NOT_BLANK = [/\S/, 'must not be empty'] as const

/** A `safari` block, field by field: the contract's, and as an addition of ours `websiteName` and `intermediate`. */
export const safariBlock = shape({
  p12: p12Fields.p12.required(),
  password: p12Fields.password,
  siteUrl: address(['http', 'https']).required(),
  // A blank would be read as the address of the website itself.
  iconUrl: text({ max: 2048 })
    .matches(...NOT_BLANK)
    .required(),
  websiteName: text({ max: 100 }).matches(...NOT_BLANK),
  intermediate: text({ max: 32_768 }),
})
