import { address, shape, text } from '../../../platform/values/parse.ts'
import { p12Fields } from '../apns/block.ts'

const NOT_BLANK = [/\S/, 'must not be empty'] as const

/** Fields of a `safari` block. `websiteName` and `intermediate` are our additions to the contract. */
export const safariBlock = shape({
  p12: p12Fields.p12.required(),
  password: p12Fields.password,
  siteUrl: address(['http', 'https']).required(),
  // An empty value would mean the address of the website itself.
  iconUrl: text({ max: 2048 })
    .matches(...NOT_BLANK)
    .required(),
  websiteName: text({ max: 100 }).matches(...NOT_BLANK),
  intermediate: text({ max: 32_768 }),
})
