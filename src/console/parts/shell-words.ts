/** Texts for a shell. */

/** A call of the interface. */
export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/admin/v1/apps` */
  path: string
  body?: unknown
}

/** One word of a command line: quoted when it must be. */
function shellWord(word: string | number): string {
  const text = String(word)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** `appsvc` and words behind it; undefined ones are left out. */
export function commandLine(...words: readonly (string | number | undefined)[]): string {
  return ['appsvc', ...words.filter((word) => word !== undefined).map(shellWord)].join(' ')
}

/** The call as a curl command, with a personal token. */
export function curlOf({ method, path, body }: HttpCall): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${shellWord(location.origin + path)}`]
  lines.push(`  -H "Authorization: Bearer $APPSVC_TOKEN"`)
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${shellWord(JSON.stringify(body))}`)
  }
  return lines.join(' \\\n')
}
