import { escapeHtml } from '../platform/text/html.ts'

/** Values that a property list can hold. It has no null. */
export type PropertyValue =
  | string
  | number
  | boolean
  | readonly PropertyValue[]
  | { readonly [key: string]: PropertyValue }

/** Writes Apple's property list as XML (PropertyList-1.0.dtd). Characters that XML cannot hold are left out. */
export function propertyList(value: PropertyValue): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">${elementOf(value)}</plist>
`
}

function elementOf(value: PropertyValue): string {
  if (typeof value === 'string') return `<string>${textOf(value)}</string>`
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>'
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? `<integer>${value}</integer>` : `<real>${value}</real>`
  }
  if (Array.isArray(value)) return `<array>${value.map((one: PropertyValue) => elementOf(one)).join('')}</array>`
  const entries = Object.entries(value).map(([key, one]) => `<key>${textOf(key)}</key>${elementOf(one)}`)
  return `<dict>${entries.join('')}</dict>`
}

/** XML 1.0 section 2.2: what is no character there cannot be escaped either. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

function textOf(text: string): string {
  return escapeHtml(text.replace(NO_XML, ''))
}
