/** Instructions for getting a vendor's credential and giving it to us, for the console. Plain data: texts and the form. */
export interface GatewayGuide {
  /** The vendor, or the kind of device: "Apple". */
  name: string
  /** The devices that are reached: "iPhone, iPad and other Apple devices". */
  reaches: string
  /** Kinds of credential, the recommended one first. */
  ways: readonly GuideWay[]
}

interface GuideWay {
  /** Name in addresses: `key`. */
  name: string
  label: string
  /** The reason to choose it. */
  about: string
  steps: readonly GuideStep[]
  /** Fields that the person fills in; together they make the block of the gateway configuration. */
  fields: readonly GuideField[]
}

interface GuideStep {
  text: string
  /** The page on which it is done. */
  url?: string
}

/**
 * `text-file`: the text of a file; `binary-file`: its base64; `json-file`: its JSON, names in camel case. Others are typed:
 * `integer` is digits that become a number, `secret` is not shown, `choice` is one of `options`, `switch` is true or false.
 */
export const FIELD_KINDS = [
  'text-file',
  'binary-file',
  'json-file',
  'text',
  'integer',
  'secret',
  'choice',
  'switch',
] as const

export interface GuideField {
  /** Name of the field in the block. */
  name: string
  kind: (typeof FIELD_KINDS)[number]
  label: string
  hint?: string
  isOptional?: true
  /** Endings of a file, as in HTML: `.p8`. */
  accept?: string
  /** Options of a choice; the first is preselected. */
  options?: readonly { value: string; label: string }[]
  /** A pattern of file names whose first group is the value, when a file of that name is dropped. */
  fromFileName?: string
  /** Name of the stored fact with which the field begins when the credential is replaced. */
  fact?: string
}
