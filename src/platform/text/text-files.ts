import { AppError } from '../errors.ts'

/** What is wrong with the bytes of a text file, in the same words for every reader, with the remedy. */

/** Said of a line. Such files end their lines with CR alone, as old spreadsheets write it. */
export const CR_ALONE = 'contains a carriage return: lines end with LF or CRLF'

/** Said of a line. */
export const HAS_NUL = 'contains a NUL character, which cannot be stored'

const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]

/** Whether a file that begins so is UTF-16. Without a mark, every other byte of ASCII text is zero. */
export function isUtf16(first: Uint8Array): boolean {
  return (
    UTF16_MARKS.some((mark) => mark.equals(first.subarray(0, 2))) ||
    (first.length > 1 && (first[0] === 0) !== (first[1] === 0))
  )
}

/** The error for a file in UTF-16. */
export function refusedUtf16(): AppError {
  return new AppError(
    'bad_request',
    'the file is UTF-16, not UTF-8: save it as "CSV UTF-8", or run iconv -f UTF-16 -t UTF-8 FILE',
  )
}

/** The error for a line with bytes that are not UTF-8. */
export function notUtf8(line: number): AppError {
  return new AppError(
    'bad_request',
    `line ${line} is not UTF-8, probably Windows-1252: save the file as "CSV UTF-8", or run iconv -f WINDOWS-1252 -t UTF-8 FILE`,
  )
}

/** Whether bytes have a carriage return that does not belong to a CRLF. One at their very end may. */
export function hasLoneCr(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(CR); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) return true
  }
  return false
}

const LF = 0x0a
const CR = 0x0d
