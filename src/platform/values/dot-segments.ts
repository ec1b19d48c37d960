/**
 * Parts of a path that lead to another folder: `.` and `..`. Browsers read `%2e` as a dot and `\` as a slash, and some servers decode a
 * path before they take it apart, once or again (`%2F`, `%252e`). Source: WHATWG URL, "single-dot path segment" and "double-dot path segment".
 */
const SEPARATOR = String.raw`(?:[/\\]|%(?:25)*(?:2f|5c))`
const DOT_SEGMENTS = new RegExp(String.raw`(?<=^|${SEPARATOR})(?:\.|%(?:25)*2e){1,2}(?=$|${SEPARATOR})`, 'giu')

/** The number of parts of a path, or of a value in one, that lead to another folder, however they are encoded. */
export function dotSegmentsIn(path: string): number {
  return path.match(DOT_SEGMENTS)?.length ?? 0
}

/** Tells whether a value in a path would lead to another folder. */
export const leavesFolder = (value: string): boolean => dotSegmentsIn(value) > 0
