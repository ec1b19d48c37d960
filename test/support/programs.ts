/**
 * How long a test or a hook may take that starts real programs: a server, a browser, a PostgreSQL. Each needs a second or two of a
 * processor, and minutes when twenty others want the same one. All others have the five minutes of `.mocharc.json`.
 */
export const PROGRAMS_MS = 600_000
