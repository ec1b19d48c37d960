/** Texts for a shell. */

/** A call of the interface. */
export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/admin/v1/apps` */
  path: string
  body?: unknown
  /** Name of a file to upload, with its type where it matters: `a.csv;type=text/csv`. */
  file?: string
}

/** Writes a text as one word of a command line, in quotes when it needs them. */
function shellWord(word: string | number): string {
  const text = String(word)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

type Words = string | number | null | undefined | false | readonly Words[]

const quoted = (words: Words): string[] => {
  if (words === null || words === undefined || words === false) return []
  return typeof words === 'object' ? words.flatMap(quoted) : [shellWord(words)]
}

/**
 * A command of `appsvc`: command`channels create --app ${appId} ${flags}`. Each value becomes a word of its own, a list
 * several; `undefined` and `[]` become none.
 */
export function command(text: TemplateStringsArray, ...given: readonly Words[]): string {
  const words = text.flatMap((part, i) => [...part.split(/\s+/).filter((word) => word !== ''), ...quoted(given[i])])
  return ['appsvc', ...words].join(' ')
}

/** A command that reads a value as JSON. `echo` of some shells would make a line break of a `\n` in a text. */
export const piped = (value: unknown, into: string): string =>
  `printf '%s' ${shellWord(JSON.stringify(value))} | ${into}`

/** The call as a curl command, with a personal token. */
export function curlOf({ method, path, body, file }: HttpCall): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${shellWord(location.origin + path)}`]
  lines.push(`  -H "Authorization: Bearer $APPSVC_TOKEN"`)
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${shellWord(JSON.stringify(body))}`)
  }
  if (file !== undefined) lines.push(`  -F ${shellWord(`file=@${file}`)}`)
  return lines.join(' \\\n')
}
