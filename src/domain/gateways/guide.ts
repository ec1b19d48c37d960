/** How a person gets a vendor's credential and gives it to us, for the console. Plain data: texts and the form. */
export interface GatewayGuide {
  /** The vendor, or the kind of device: "Apple". */
  name: string
  /** Who is reached: "iPhone, iPad and other Apple devices". */
  reaches: string
  /** Kinds of credential, the recommended one first. */
  ways: readonly GuideWay[]
}

interface GuideWay {
  /** In addresses: `key`. */
  name: string
  label: string
  /** When to choose it. */
  about: string
  steps: readonly GuideStep[]
  /** What the person fills in; together they make the block of the gateway configuration. */
  fields: readonly GuideField[]
}

interface GuideStep {
  text: string
  /** Where it is done. */
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
  /** Its name in the block. */
  name: string
  kind: (typeof FIELD_KINDS)[number]
  label: string
  hint?: string
  isOptional?: true
  /** Of a file: as in HTML, `.p8`. */
  accept?: string
  /** Of a choice; the first is preselected. */
  options?: readonly { value: string; label: string }[]
  /** A pattern of file names whose first group is the value, when a file of that name is dropped. */
  fromFileName?: string
  /** Name of the stored fact with which the field begins when the credential is replaced. */
  fact?: string
}
