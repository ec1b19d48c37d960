/**
 * A value as a part of an address, with the apostrophe that `encodeURIComponent` leaves: no address of an in-app message may have
 * quotes, because it stands in a page. Half a character becomes U+FFFD.
 */
export const urlPart = (value: string): string => withoutApostrophes(encodeURIComponent(value.toWellFormed()))

/** A part of an address that is encoded but for its apostrophes. */
export const withoutApostrophes = (encoded: string): string => encoded.replaceAll("'", '%27')
